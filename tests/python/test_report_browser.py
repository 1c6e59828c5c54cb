"""The report in a headless Chromium, at desktop and phone width, in light and dark."""

import os
import shutil
import sys

import pytest
from conftest import HOSTILE, SOURCE, run_program
from reports import write_studies
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from graphsurgeon.report import report_command

sys.path.insert(0, str(SOURCE / "tools"))
from screenshot_report import browser, show

DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 390, "height": 844, "touch": True}

if not (shutil.which("chromium") and shutil.which("chromedriver")) and not os.environ.get("CI"):
    pytest.skip(
        "there is no chromium with its driver here; ./dev test installs them on Debian",
        allow_module_level=True,
    )


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    made = browser(str(tmp_path_factory.mktemp("chromium")))
    yield made
    made.quit()


@pytest.fixture(scope="module")
def pages(report_runs, tmp_path_factory):
    """Makes a page of some runs, once."""
    folder = tmp_path_factory.mktemp("pages")
    studies = write_studies(folder)
    inputs = {name: [report_runs / name] for name in ("labeled", "unlabeled", "multi", "once")}
    inputs["three"] = [report_runs / name for name in ("labeled", "pre", "gcn")]
    inputs["studies"] = studies

    def make(name):
        file = folder / f"{name}.html"
        if not file.exists():
            words = [*map(str, inputs[name]), "-o", str(file), "--threads", "1", "--quiet"]
            assert (
                report_command.main(words if name == "labeled" else [*words, "--map", "pca"]) == 0
            )
        return file

    return make


# Of every figure: its id, whether plotly drew it, what it drew, and how wide it is.
FIGURES = """return [...document.querySelectorAll('figure')].map((figure) => {
  const plot = figure.querySelector('.plot'), svg = plot.querySelector('.main-svg');
  const marks = plot.querySelectorAll(
    '.points path, .lines path, .barlayer .point path, .heatmaplayer image');
  const width = svg ? svg.getBoundingClientRect().width : 0;
  return [figure.id, !!svg, marks.length, width, figure.clientWidth];
})"""


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("name", ["labeled", "unlabeled", "multi", "once", "three", "studies"])
def test_every_figure_is_drawn_without_an_error(driver, pages, name, screen):
    assert show(driver, pages(name), **screen) == []
    assert driver.execute_script("return document.documentElement.dataset.drawn") == "all"
    figures = driver.execute_script(FIGURES)
    assert len(figures) >= 5
    for key, drawn, marks, width, room in figures:
        assert drawn and marks > 0, key
        assert 200 < width <= room + 1, key  # widths are rounded
    # The page itself never scrolls sideways, and only tables of studies do so on their own.
    if name != "studies":
        tables = "[...document.querySelectorAll('.scroll')]"
        over = driver.execute_script(f"return {tables}.map((t) => t.scrollWidth - t.clientWidth)")
        assert max(over) <= 0
    assert driver.execute_script("return document.documentElement.scrollWidth") <= screen["width"]
    assert driver.execute_script("return performance.getEntriesByType('resource').length") == 0


def hovered(driver, selector):
    """Moves the mouse to the first of the marks and returns what the figure then says."""
    mark = driver.find_element(By.CSS_SELECTOR, selector)
    driver.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", mark
    )
    box = driver.execute_script(
        "const b = arguments[0].getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2]",
        mark,
    )
    actions = ActionChains(driver)
    actions.w3c_actions.pointer_action.move_to_location(int(box[0]) - 3, int(box[1]) - 3)
    actions.w3c_actions.pointer_action.move_to_location(round(box[0]), round(box[1]))
    actions.pause(0.3)
    actions.perform()
    return " ".join(
        element.text for element in driver.find_elements(By.CSS_SELECTOR, ".hoverlayer .hovertext")
    )


def press(driver, figure, choice):
    driver.execute_script(
        "document.querySelector(`#${arguments[0]} button[data-choice='${arguments[1]}']`).click()",
        figure,
        choice,
    )


def test_hovering_describes_a_node_and_a_value(driver, pages):
    show(driver, pages("labeled"), **DESKTOP)
    shown = hovered(driver, "#map-0 .points path")
    assert (
        "node " in shown
        and "label " in shown
        and "degree " in shown
        and "view disagreement" in shown
    )
    assert "epoch" in hovered(driver, "#training-loss-0 .points path")
    assert "gain" not in hovered(driver, "#gains-0 .points path") and "first head" in hovered(
        driver, "#gains-0 .points path"
    )


def touch(driver, places):
    """A finger that goes down at the first place, along the others, and up."""
    for i, (x, y) in enumerate(places):
        event = {"type": "touchMove" if i else "touchStart", "touchPoints": [{"x": x, "y": y}]}
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", event)
    driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_tapping_tells_of_a_node_on_a_phone(driver, pages):
    show(driver, pages("labeled"), **PHONE)
    mark = driver.find_element(By.CSS_SELECTOR, "#map-0 .points path")
    driver.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", mark
    )
    x, y = driver.execute_script(
        "const b = arguments[0].getBoundingClientRect();"
        "return [b.x + b.width / 2, b.y + b.height / 2]",
        mark,
    )
    touch(driver, [(x, y)])
    driver.execute_async_script("setTimeout(arguments[0], 400)")
    assert "degree" in " ".join(
        e.text for e in driver.find_elements(By.CSS_SELECTOR, ".hoverlayer .hovertext")
    )
    # A finger that moves over a figure scrolls the page.
    before = driver.execute_script("return scrollY")
    touch(driver, [(x, y - 20 * step) for step in range(11)])
    driver.execute_async_script("setTimeout(arguments[0], 400)")
    assert driver.execute_script("return scrollY") > before + 100


def test_the_legend_hides_and_shows_a_class(driver, pages):
    show(driver, pages("labeled"), **DESKTOP)
    visible = (
        "return document.querySelector('#map-0 .plot').data.map((trace) => trace.visible ?? true)"
    )
    assert driver.execute_script(visible) == [True, True, True]
    place = "{block: 'center', behavior: 'instant'}"
    click = f"document.querySelector('#map-0 .legendtoggle').scrollIntoView({place})"
    driver.execute_script(click)
    ActionChains(driver).click(driver.find_element(By.CSS_SELECTOR, "#map-0 .legendtoggle")).pause(
        0.6
    ).perform()
    assert driver.execute_script(visible) == ["legendonly", True, True]
    press(driver, "map-0", "degree")  # which shows all nodes again
    assert (
        driver.execute_script("return document.querySelector('#map-0 .plot')._fullData[0].visible")
        is True
    )
    press(driver, "map-0", "label")
    ActionChains(driver).pause(0.3).perform()
    assert driver.execute_script(visible) == [True, True, True]
    ActionChains(driver).click(driver.find_element(By.CSS_SELECTOR, "#map-0 .legendtoggle")).pause(
        0.6
    ).perform()
    assert driver.execute_script(visible) == ["legendonly", True, True]
    ActionChains(driver).click(driver.find_element(By.CSS_SELECTOR, "#map-0 .legendtoggle")).pause(
        0.6
    ).perform()
    assert driver.execute_script(visible) == [True, True, True]


def test_the_map_is_colored_and_projected_as_chosen(driver, pages):
    show(driver, pages("labeled"), **DESKTOP)
    first = driver.execute_script(
        "return document.querySelector('#map-0 .plot').data[0].x.slice(0, 5)"
    )
    for choice, title in (("degree", "degree"), ("disagreement", "1 - cosine of the views")):
        press(driver, "map-0", choice)
        assert driver.find_element(By.CSS_SELECTOR, "#map-0 .colorbar").text.count(title) == 1
    press(driver, "map-0", "label")
    assert "t-SNE" in driver.find_element(By.CSS_SELECTOR, "#map-0 .about").text
    press(driver, "map-0", "1")
    assert "PCA" in driver.find_element(By.CSS_SELECTOR, "#map-0 .about").text
    assert (
        driver.execute_script("return document.querySelector('#map-0 .plot').data[0].x.slice(0, 5)")
        != first
    )
    pressed = driver.find_elements(By.CSS_SELECTOR, "#map-0 button[aria-pressed='true']")
    assert [button.text for button in pressed] == ["PCA", "label"]


NO_WEBGL = """const original = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.startsWith('webgl') ? null : original.call(this, kind, ...more);
};"""


def test_many_nodes_are_drawn_by_webgl_and_fewer_without(driver, tmp_path):
    small = ["--epochs", 1, "--aug-dim", 8, "--dim", 8, "--threads", 1, "--quiet"]
    run_program("train", "sbm:nodes=5200,features=8", "-o", tmp_path / "run", *small)
    (tmp_path / "run" / "scores.json").write_text(
        '{"metric": "accuracy", "mean": 50, "std": 1, "values": [50]}'
    )
    page = tmp_path / "page.html"
    words = [str(tmp_path / "run"), "-o", str(page), "--map", "pca", "--threads", "1", "--quiet"]
    assert report_command.main(words) == 0
    drawn = (
        "const d = document.querySelector('#map-0 .plot').data;"
        "return [d[0].type, d.flatMap((t) => t.x).length]"
    )
    assert show(driver, page, **DESKTOP) == []
    assert driver.execute_script(drawn) == ["scattergl", 5200]
    added = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WEBGL})
    try:
        assert show(driver, page, **DESKTOP) == []
        assert driver.execute_script(drawn) == ["scatter", 5000]
        assert "Without WebGL 5000" in driver.find_element(By.CSS_SELECTOR, "#map-0 .about").text
    finally:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_hostile_names_are_shown_and_never_run(driver, pages):
    show(driver, pages("labeled"), **DESKTOP)  # an alert would make the next call fail
    legend = driver.find_element(By.CSS_SELECTOR, "#map-0 .legend").get_attribute("textContent")
    for name in HOSTILE:
        assert name[:20] in legend
    assert driver.execute_script("return document.querySelectorAll('img, svg a').length") == 0


BRIGHTNESS = """const sum = (a, b) => a + b;
const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number).reduce(sum) / 3;
return [rgb(getComputedStyle(document.body).backgroundColor),
        rgb(getComputedStyle(document.querySelector('#training-loss-0 .xtick text')).fill)]"""


def test_dark_and_light_follow_the_reader(driver, pages):
    show(driver, pages("labeled"), **DESKTOP, dark=True)
    back, text = driver.execute_script(BRIGHTNESS)
    assert back < 60 and text > 180
    light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
    driver.execute_async_script("setTimeout(arguments[0], 1000)")
    back, text = driver.execute_script(BRIGHTNESS)
    assert back > 200 and text < 90
