"""The report as JUnit XML, one test case per check."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from claw_adapter.certify.records import CheckResult, Report
from claw_adapter.report.clean import clean

__all__ = ["junit"]


def junit(report: Report) -> str:
    """One suite; failures are failures, faults of the kit are errors, what does not apply is skipped."""
    counts = {
        "tests": str(len(report.results)), "failures": str(report.count("failed")), "errors": str(report.count("kit")),
        "skipped": str(report.count("unsupported") + report.count("unverified") + report.count("expected")),
        "time": f"{report.seconds:.3f}",
    }  # fmt: skip
    root = Element("testsuites", {"name": "claw certify", **counts})
    suite = SubElement(root, "testsuite", {"name": report.adapter.name, "timestamp": report.started, **counts})
    properties = SubElement(suite, "properties")
    about = {
        "spec": report.spec, "requirement_set": report.requirement_set, "kit": report.kit, "asked": report.asked,
        "reached": report.reached or "none", "isolation": str(report.isolation), **report.adapter.versions,
    }  # fmt: skip
    for name, value in about.items():
        SubElement(properties, "property", {"name": name, "value": value})
    for result in report.results:
        _case(suite, report.adapter.name, result)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(suite: Element, adapter: str, result: CheckResult) -> None:
    area = result.id.partition("-")[0]
    case = SubElement(
        suite, "testcase",
        {"classname": f"{adapter}.{area}", "name": f"{result.id} {result.title}", "time": f"{result.seconds:.3f}"},
    )  # fmt: skip
    what = clean(result.what)
    match result.outcome:
        case "failed":
            child = SubElement(case, "failure", {"type": result.owner, "message": what})
            child.text = clean("\n".join(filter(None, (result.what, result.remedy, result.bug))))
        case "kit":
            SubElement(case, "error", {"type": "kit", "message": what}).text = clean(result.remedy)
        case "unsupported" | "unverified" | "expected":
            SubElement(case, "skipped", {"message": f"{result.outcome}: {what}"})
    if result.notes or result.warnings:
        SubElement(case, "system-out").text = clean("\n".join([*result.warnings, *result.notes]))
