#!/usr/bin/env python3
"""browser.py PROGRAM [CHECK...]: uses the page that plot --format html writes, in a headless Chromium, with real clicks,
keys and wheels. Runs the checks that are named, or all. Emits TAP.

Without Chromium, its driver or Selenium, all are skipped; with CHROMOSWEEP_TEST_READERS=all that is a failure.
"""

import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.support.wait import WebDriverWait
except ImportError:
    webdriver = None

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
ALL = os.environ.get("CHROMOSWEEP_TEST_READERS") == "all"
TARGET = "ACGTTGCAAGCTAAGGCTTCAGGATCCTTGACCAGTTACGATACCGGATA"
QUERY = "ACGTTGCAAGCTAAGGNNCAAGGATCCTGAAGCNNACCAGTTACGATACCGGATA"
OTHER = "GATTACACCCTGTTTAGGGACGAGTCCAATCGCTTGTGA"
NAMES = [
    ("t", "q"),
    ("</script><script>document.title='bad'</script>", "<!--<script>"),
    ("it's:$(no)`such`", '{"braced"}&amp;'),
]


@functools.cache
def browser():
    """One for all checks: it takes seconds to start."""
    chrome = webdriver.ChromeOptions()
    chrome.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,1600"):
        chrome.add_argument(argument)
    chrome.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(service=webdriver.chrome.service.Service(DRIVER), options=chrome)
    driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    return driver


class Page:
    """A page of these records, as a browser shows it. With --all-pairs there are others, too."""

    def __init__(self, folder, names, options=("--one-to-one", "--min-score", "8")):
        self.folder = folder
        records = [("t.fa", names[0], TARGET), ("q.fa", names[1], QUERY)]
        if "--all-pairs" in options:
            turned = OTHER.translate(str.maketrans("ACGT", "TGCA"))[::-1]
            records = [*records[:1], ("t.fa", "other", OTHER), ("q.fa", "turned", turned), *records[1:]]
        for file in ("t.fa", "q.fa"):
            text = "".join(f">{name}\n{bases}\n" for place, name, bases in records if place == file)
            (folder / file).write_text(text, encoding="utf-8")
        subprocess.run([PROGRAM, "plot", "-q", *options, "-o", "page.html", "t.fa", "q.fa"], cwd=folder, check=True)
        self.driver = browser()
        self.driver.switch_to.new_window("tab")  # with a pointer, a focus and a medium of its own
        for log in ("performance", "browser"):
            self.driver.get_log(log)  # of what was shown before
        self.driver.get((folder / "page.html").as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.close()
        self.driver.switch_to.window(self.driver.window_handles[0])

    def id(self, name):
        return self.driver.find_element(By.ID, name)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def view(self):
        text = self.driver.execute_script("return document.getElementById('plot').getAttribute('viewBox')")
        return [float(part) for part in text.split()]

    def clipboard(self):
        WebDriverWait(self.driver, 120).until(lambda _: self.id("copy-note").text != "")
        return self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")

    def middle(self, k):
        """The middle of an alignment, from the middle of the frame, as the driver counts."""
        return self.driver.execute_script("""
            const line = document.querySelectorAll(".segment .line")[arguments[0]];
            const point = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(line.getScreenCTM());
            const frame = document.getElementById("frame").getBoundingClientRect();
            return [Math.round(point.x - frame.x - frame.width / 2), Math.round(point.y - frame.y - frame.height / 2)];
        """, k)

    def pointer(self, k):
        return ActionChains(self.driver).move_to_element_with_offset(self.id("frame"), *self.middle(k))

    def press(self, *keys):
        for key in keys:
            self.id("frame").send_keys(key)

    def align(self, copied):
        """What align finds in the regions that were copied."""
        command = [PROGRAM, "align", "-q", "--strand", "both", *shlex.split(copied), "--format", "json", "t.fa", "q.fa"]
        done = subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        return json.loads(done.stdout)


def near(found, wanted):
    assert all(abs(a - b) < 0.01 for a, b in zip(found, wanted)), (found, wanted)


def check_quiet(folder):
    with Page(folder, NAMES[0]) as page:
        page.press("+", "c")
        page.pointer(0).click().perform()
        page.clipboard()
        messages = [json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance")]
        urls = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        own = (folder / "page.html").as_uri()
        assert own in urls, "the log tells of requests"
        assert all(url == own or url.startswith("data:") for url in urls), urls
        assert not page.driver.get_log("browser")
        text = (folder / "page.html").read_text(encoding="utf-8")
        assert not re.findall(r"(?:src|href)=\"(?!data:)", text)


def check_hover(folder):
    with Page(folder, NAMES[0]) as page:
        tip = page.id("tip")
        assert not tip.is_displayed()
        for k, wanted in enumerate(["target t:31-50\nquery q:36-55, plus strand\nscore 20, identity 100.0000%",
                                    "target t:1-16\nquery q:1-16, plus strand\nscore 16, identity 100.0000%",
                                    "target t:17-30\nquery q:19-32, minus strand\nscore 14, identity 100.0000%"]):
            page.pointer(k).perform()
            assert tip.is_displayed() and tip.text == wanted, tip.text
            assert [row.get_attribute("class") for row in page.all("tbody tr")] == [
                "chosen" if row == k else "" for row in range(3)]
            target, query = (int(base) for base in re.fullmatch(
                r"target t:(\d+), query q:(\d+)", page.id("where").text).groups())
            (low, high), (start, end) = [[int(base) for base in pair] for pair in re.findall(r":(\d+)-(\d+)", wanted)]
            assert low <= target <= high and start <= query <= end
            assert abs(target - (low + high) / 2) <= 1 and abs(query - (start + end) / 2) <= 1
        ActionChains(page.driver).move_to_element(page.all("h1")[0]).perform()
        assert not tip.is_displayed()


def check_click(folder):
    with Page(folder, NAMES[0]) as page:
        for k, wanted in enumerate(["-r t:31-50 -R q:36-55", "-r t:1-16 -R q:1-16", "-r t:17-30 -R q:19-32"]):
            page.pointer(k).click().perform()
            assert page.clipboard() == wanted == page.id("copied").get_attribute("value")
            assert page.align(wanted)["score"] == [20, 16, 14][k]


def check_wheel(folder):
    with Page(folder, NAMES[0]) as page:
        x, y, w, h = page.view()
        assert (x, y) == (0, 0)
        before = page.middle(1)
        origin = ScrollOrigin.from_element(page.id("frame"), *before)
        ActionChains(page.driver).scroll_from_origin(origin, 0, -100).perform()
        near(page.view()[2:], [w / 1.5, h / 1.5])
        assert all(abs(a - b) <= 1 for a, b in zip(page.middle(1), before)), "what is under the pointer stays there"
        ActionChains(page.driver).scroll_from_origin(origin, 0, 100).perform()
        near(page.view(), [x, y, w, h])


def check_buttons(folder):
    with Page(folder, NAMES[0]) as page:
        _, _, w, h = page.view()
        page.id("zoom-in").click()
        near(page.view(), [w / 6, h / 6, w / 1.5, h / 1.5])
        page.id("zoom-in").click()
        page.id("zoom-out").click()
        near(page.view(), [w / 6, h / 6, w / 1.5, h / 1.5])
        page.id("zoom-all").click()
        near(page.view(), [0, 0, w, h])
        page.all("tbody button")[4].click()  # Show, of the third
        part = page.view()
        box = page.driver.execute_script("""
            const box = document.querySelectorAll(".segment")[2].getBBox();
            return [box.x + box.width / 2, box.y + box.height / 2, box.width]""")
        near([part[0] + part[2] / 2, part[1] + part[3] / 2], box[:2])
        assert part[2] >= 2 * box[2] - 0.01 and part[2] < w
        page.all("tbody button")[5].click()  # Copy
        assert page.clipboard() == "-r t:17-30 -R q:19-32"


def check_keys(folder):
    with Page(folder, NAMES[0]) as page:
        _, _, w, h = page.view()
        reached = []
        for _ in range(12):
            ActionChains(page.driver).send_keys(Keys.TAB).perform()
            reached.append(page.driver.execute_script(
                "return document.activeElement.id || document.activeElement.getAttribute('aria-label')"))
        assert reached == ["zoom-in", "zoom-out", "zoom-all", "copy-view", "frame", "copied", "Show alignment 1",
                           "Copy alignment 1", "Show alignment 2", "Copy alignment 2", "Show alignment 3",
                           "Copy alignment 3"], reached
        assert page.all(".segment.chosen") == page.all(".segment")[2:]
        ActionChains(page.driver).send_keys(Keys.ENTER).perform()
        assert page.clipboard() == "-r t:17-30 -R q:19-32"
        page.press("+", Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        near(page.view(), [w / 6 + w / 15, h / 6 + h / 15, w / 1.5, h / 1.5])
        page.press(*[Keys.ARROW_LEFT] * 9, *[Keys.ARROW_UP] * 9)
        near(page.view(), [0, 0, w / 1.5, h / 1.5])
        page.press("-", "-")
        near(page.view(), [0, 0, w, h])
        page.press("+", "+", "0")
        near(page.view(), [0, 0, w, h])
        page.press(*["+"] * 40)
        assert page.view()[2] >= w / 5001, "there is an end to it"


def check_region(folder):
    with Page(folder, NAMES[0]) as page:
        page.press("c")
        assert page.clipboard() == "-r t:1-50 -R q:1-55"
        page.press("+", "+", "c")
        copied = page.clipboard()
        assert page.id("shown").text == copied.replace("-r ", "Shown: target ").replace(" -R ", "; query ")
        low, high, start, end = map(int, re.fullmatch(r"-r t:(\d+)-(\d+) -R q:(\d+)-(\d+)", copied).groups())
        assert (low, high) == (14, 37) and 14 <= start <= 16 and 38 <= end <= 41, copied
        assert page.align(copied)["target"]["region"] == f"t:{low}-{high}"
        page.press("0")
        page.press(*[Keys.ARROW_LEFT], "+", *[Keys.ARROW_LEFT] * 9, *[Keys.ARROW_DOWN] * 9, "c")
        assert re.fullmatch(r"-r t:1-34 -R q:1-3\d", page.clipboard()), "the query begins at the bottom"


def check_drag(folder):
    with Page(folder, NAMES[0]) as page:
        page.press("+", "+")
        x, y, w, h = page.view()
        before = page.middle(2)
        page.pointer(2).click_and_hold().move_by_offset(60, 45).release().perform()
        assert [round(a - b) for a, b in zip(page.middle(2), before)] == [60, 45]
        near(page.view()[2:], [w, h])
        assert page.view()[0] < x and page.view()[1] < y
        assert page.id("copied").get_attribute("value") == "", "a drag does not copy"


def check_names(folder):
    for number, names in enumerate(NAMES[1:]):
        place = folder / str(number)
        place.mkdir()
        with Page(place, names) as page:
            title = f"{names[0]} × {names[1]}"
            assert page.driver.title == title and page.all("h1")[0].text == title
            assert len(page.all("script")) == 2 and len(page.all("b, title title")) == 0
            cells = [cell.text for cell in page.all("tbody tr:first-child td")]
            assert names[0] in cells[1] and names[1] in cells[2], cells
            page.pointer(0).perform()
            assert names[0] in page.id("tip").text and names[1] in page.id("tip").text
            page.pointer(0).click().perform()
            copied = page.clipboard()
            found = page.align(copied)
            assert (found["target"]["name"], found["query"]["name"], found["score"]) == (*names, 20)
            assert not page.driver.get_log("browser")


def check_print(folder):
    with Page(folder, NAMES[0]) as page:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        assert all(not element.is_displayed() for element in page.all("button, #where, #copied"))
        assert all(element.is_displayed() for element in page.all("h1, #frame, tbody tr"))
        printed = page.driver.execute_cdp_cmd("Page.printToPDF", {})["data"]
        assert len(printed) > 10000


def check_one(folder):
    """The best alignment alone, and none at all; a region of a record."""
    with Page(folder, NAMES[0], ["-r", "t:20-50", "-R", "q:30-"]) as page:
        assert len(page.all(".segment")) == 1
        assert page.id("shown").text == "Shown: target t:20-50; query q:30-55"
        page.pointer(0).click().perform()
        assert page.clipboard() == "-r t:31-50 -R q:36-55"
    with Page(folder, NAMES[0], ["--no-best"]) as page:
        assert not page.all(".segment") and not page.all("tbody tr")
        page.press("+")
        assert page.view()[0] > 0


def check_map(folder):
    """Two records on each side, of which one is drawn from its end."""
    with Page(folder, NAMES[0], ["--all-pairs", "--one-to-one", "--min-score", "12"]) as page:
        assert page.id("shown").text == "Shown: 2 × 2 records"
        names = [text.text for text in page.all("#axes text")]
        assert sorted(names) == ["other", "q", "t", "turned (minus)"], names
        page.press("c")
        assert "Several records" in page.id("copy-note").text
        cells = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in page.all("tbody tr")]
        assert cells[0][1:5] == ["other:1-39", "turned:1-39", "minus", "39"], cells
        page.pointer(0).perform()
        assert page.id("tip").text == "target other:1-39\nquery turned:1-39, minus strand\nscore 39, identity 100.0000%"
        target, query = map(int, re.fullmatch(r"target other:(\d+), query turned \(minus\):(\d+)",
                                              page.id("where").text).groups())
        assert abs(target - 20) <= 1 and abs(query - 20) <= 1
        page.pointer(0).click().perform()
        assert page.clipboard() == "-r other:1-39 -R turned:1-39"
        page.driver.execute_script("document.getElementById('copy-note').textContent = ''")
        # The upper right corner: of the record that is drawn from its end, the first bases.
        origin = ScrollOrigin.from_element(page.id("frame"), *page.middle(0))
        for _ in range(4):
            ActionChains(page.driver).scroll_from_origin(origin, 0, -100).perform()
        page.press(*[Keys.ARROW_RIGHT] * 30, *[Keys.ARROW_UP] * 30, "c")
        copied = page.clipboard()
        low, end = map(int, re.fullmatch(r"-r other:(\d+)-39 -R turned:1-(\d+)", copied).groups())
        assert 15 < low < 39 and 1 < end < 25, copied
        assert page.align(copied)["strand"] == "-"
        assert not page.driver.get_log("browser")


CHECKS = {
    "no network, no errors": check_quiet,
    "what a pointer hovers over": check_hover,
    "a click copies the regions of an alignment": check_click,
    "the wheel zooms": check_wheel,
    "buttons": check_buttons,
    "the keyboard alone": check_keys,
    "the region that is shown is copied": check_region,
    "dragging": check_drag,
    "names that look like markup or shell": check_names,
    "printing": check_print,
    "one alignment, and none": check_one,
    "several records": check_map,
}


def main():
    print(f"1..{len(CHECKS)}")
    missing = [name for name, found in (("Selenium", webdriver), ("chromium", CHROMIUM), ("chromedriver", DRIVER))
               if not found]
    failures, only = 0, sys.argv[2:]
    for count, (what, check) in enumerate(CHECKS.items(), 1):
        if only and what not in only:
            print("ok", count, f"- {what} # SKIP not asked for")
            continue
        if missing:
            failures += ALL
            print("not ok" if ALL else "ok", count, f"- {what} # SKIP there is no {missing[0]}")
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                check(pathlib.Path(folder))
                print("ok", count, f"- {what}", flush=True)
            except Exception as error:  # of the driver, too
                failures += 1
                line = error.__traceback__
                while line.tb_next is not None and "browser.py" in line.tb_next.tb_frame.f_code.co_filename:
                    line = line.tb_next
                print("not ok", count, f"- {what}: line {line.tb_lineno}: {str(error)[:300]!r}", flush=True)
    if browser.cache_info().currsize:
        browser().quit()
    sys.exit(failures > 0)


main()
