"""Takes a screenshot of a report in a browser.

    python tools/screenshot_report.py page.html -o picture.png [--width 390 --touch] [--dark]
                                      [--at SECTION] [--whole]

Needs selenium and Debian's `chromium` and `chromium-driver`. Fails on any error in the browser
console.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-device-scale-factor=1",
]


def browser(folder: str) -> webdriver.Chrome:
    """A headless Chromium with a fresh profile in `folder`, which keeps its console's log."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in [*FLAGS, f"--user-data-dir={folder}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def show(
    driver: webdriver.Chrome,
    page: Path,
    width: int,
    height: int,
    dark: bool = False,
    touch: bool = False,
) -> list[str]:
    """Opens the page, waits for its figures and returns the errors of the console."""
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]},
    )
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": touch})
    driver.get_log("browser")
    driver.get(page.resolve().as_uri())
    deadline = time.monotonic() + 60
    while driver.execute_script("return document.documentElement.dataset.drawn") != "all":
        if time.monotonic() > deadline:
            break
        time.sleep(0.1)
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=1500)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--touch", action="store_true", help="as on a phone")
    parser.add_argument("--at", default="", help="a section's or figure's id to scroll to")
    parser.add_argument("--whole", action="store_true", help="the whole page, however long")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as folder:
        driver = browser(folder)
        try:
            errors = show(
                driver,
                arguments.page,
                arguments.width,
                arguments.height,
                arguments.dark,
                arguments.touch,
            )
            if arguments.whole:
                height = driver.execute_script("return document.documentElement.scrollHeight")
                screen = {
                    "width": arguments.width,
                    "height": height,
                    "deviceScaleFactor": 1,
                    "mobile": arguments.touch,
                }
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            if arguments.at:
                driver.execute_script(
                    "document.documentElement.style.scrollBehavior = 'auto';"
                    "document.getElementById(arguments[0]).scrollIntoView()",
                    arguments.at,
                )
            time.sleep(0.5)
            driver.save_screenshot(str(arguments.output))
        finally:
            driver.quit()
    if errors:
        sys.exit("\n".join(errors))


if __name__ == "__main__":
    main()
