"""Loads documents into a running office and exports them."""

import os

import uno
import unohelper
from com.sun.star.beans import PropertyValue
from com.sun.star.task import XInteractionHandler

PDF_OPTIONS = {"ReduceImageResolution": False, "UseTaggedPDF": True, "ExportBookmarks": True}
# By the module of the document, since many import filters lead to one module.
PDF_FILTERS = {
    "com.sun.star.text.TextDocument": "writer_pdf_Export",
    "com.sun.star.sheet.SpreadsheetDocument": "calc_pdf_Export",
    "com.sun.star.presentation.PresentationDocument": "impress_pdf_Export",
    "com.sun.star.drawing.DrawingDocument": "draw_pdf_Export",
}
XLSX_FILTER = "Calc MS Excel 2007 XML"
SPREADSHEET = "com.sun.star.sheet.SpreadsheetDocument"
# Hundredths of a millimetre: a column of a table is as wide as its longest text, up to this.
WIDEST_COLUMN = 8000
# What lies further to the right keeps its width: looking at one column takes a fifth of a millisecond.
COLUMNS_LOOKED_AT = 1024

PASSWORD = uno.getTypeByName("com.sun.star.task.XInteractionPassword")
ABORT = uno.getTypeByName("com.sun.star.task.XInteractionAbort")
IO_EXCEPTION = uno.getClass("com.sun.star.io.IOException")
REFUSALS = (IO_EXCEPTION, uno.getClass("com.sun.star.lang.IllegalArgumentException"))

NO_MACROS = 0
NO_UPDATE = 0


class Refused(Exception):
    """The office does not take the file. `reason`: `password` or `corrupt`."""

    def __init__(self, reason, text):
        super().__init__(text)
        self.reason = reason


class Questions(unohelper.Base, XInteractionHandler):
    """Answers none of what the office would ask a person while it loads a file, and notes whether that was a password."""

    def __init__(self):
        self.is_password_asked = False

    # The request itself is an exception, which this bridge cannot hand over: the answers on offer tell what is asked.
    def handle(self, request):
        abort = None
        for continuation in request.getContinuations():
            if continuation.queryInterface(PASSWORD) is not None:
                self.is_password_asked = True
            if continuation.queryInterface(ABORT) is not None:
                abort = continuation
        if abort is not None:
            abort.select()


def load(desktop, job):
    """Throws Refused. Always hidden: what is visible makes an office without a screen crash."""
    questions = Questions()
    options = {
        "Hidden": True,
        "ReadOnly": True,
        "FilterName": job["filter"],
        "MacroExecutionMode": NO_MACROS,
        "UpdateDocMode": NO_UPDATE,
        "InteractionHandler": questions,
    }
    if "filterOptions" in job:
        options["FilterOptions"] = job["filterOptions"]
    try:
        document = desktop.loadComponentFromURL(url(job["input"]), "_blank", 0, properties(options))
    except REFUSALS as error:
        raise Refused(reason(questions), f"not loaded: {error.Message}") from error
    if document is None:
        raise Refused(reason(questions), "not loaded")
    if job["filter"] == "dBase":
        name_columns(document.Sheets.getByIndex(0))
    return document


def export(document, job):
    """Throws Refused where a document loads and yet has nothing that can be written."""
    is_bare = job.get("isBare", False)
    if job["target"] == "xlsx":
        if is_bare:
            # The office names it after the file, as it does all that have no name.
            document.Sheets.getByIndex(0).Name = "Sheet1"
        filter_name, options = XLSX_FILTER, {}
    else:
        filter_name = next(name for service, name in PDF_FILTERS.items() if document.supportsService(service))
        data = uno.Any("[]com.sun.star.beans.PropertyValue", properties(PDF_OPTIONS))
        options = {"FilterData": data}
        if document.supportsService(SPREADSHEET):
            set_up_print(document, is_bare)
    try:
        document.storeToURL(url(job["output"]), properties({"FilterName": filter_name, **options}))
    except IO_EXCEPTION as error:
        raise Refused("corrupt", f"not exported: {error.Message}") from error


def set_up_print(document, is_bare):
    """Sheets that nobody has set up for printing become as wide as one page, instead of being cut in strips."""
    styles = document.StyleFamilies.getByName("PageStyles")
    for sheet in document.Sheets:
        style = styles.getByName(sheet.PageStyle)
        if is_bare:
            fit_columns(sheet)
            # It would say the name of the sheet, which such a file does not have.
            style.HeaderIsOn = False
        is_scaled = style.PageScale != 100 or style.ScaleToPages or style.ScaleToPagesX or style.ScaleToPagesY
        if not is_scaled and not sheet.getPrintAreas():
            style.ScaleToPagesX, style.ScaleToPagesY = 1, 0


def fit_columns(sheet):
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    last = min(cursor.RangeAddress.EndColumn, COLUMNS_LOOKED_AT - 1)
    columns = sheet.getCellRangeByPosition(0, 0, last, 0).Columns
    columns.OptimalWidth = True
    for index in range(last + 1):
        column = columns.getByIndex(index)
        if column.Width > WIDEST_COLUMN:
            column.Width = WIDEST_COLUMN
            column.IsTextWrapped = True


def name_columns(sheet):
    """The office puts the types of the columns of a database behind their names: `AMOUNT,N,10,2`."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    for index in range(cursor.RangeAddress.EndColumn + 1):
        cell = sheet.getCellByPosition(index, 0)
        cell.String = cell.String.partition(",")[0]


def warm_up(desktop):
    """What is done once is fast from then on: each module, its PDF export, the filters of the commonest formats."""
    hidden = properties({"Hidden": True})
    for module, extension, filter_name in WARM_UPS:
        document = desktop.loadComponentFromURL(f"private:factory/{module}", "_blank", 0, hidden)
        name = f"tmp/warm-up.{extension}"
        document.storeToURL(url(name), properties({"FilterName": filter_name}))
        document.close(True)
        job = {"input": name, "output": "tmp/warm-up.pdf", "target": "pdf", "filter": filter_name}
        document = load(desktop, job)
        export(document, job)
        document.close(True)
        os.remove(name)
    os.remove("tmp/warm-up.pdf")


def reason(questions):
    return "password" if questions.is_password_asked else "corrupt"


def url(name):
    return uno.systemPathToFileUrl(os.path.abspath(name))


def properties(values):
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


WARM_UPS = (
    ("swriter", "docx", "MS Word 2007 XML"),
    ("scalc", "xlsx", XLSX_FILTER),
    ("simpress", "pptx", "Impress MS PowerPoint 2007 XML"),
)
