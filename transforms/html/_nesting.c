/* The scan of `transforms.html.nesting_bound`: how deep the tags of a page can nest at most, in one pass over its bytes.
 *
 * It reads markup as the tokenizer of the HTML Standard does (13.2.5), and keeps the names of the open elements. Of the rules by
 * which an end tag closes elements it knows those that hold wherever the tag stands; any other tag closes nothing here, or ends the
 * scan. Nothing is read beyond the page's end, and nothing is kept but the stack, which is no higher than the limit.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* What is known of an element by its name; the same numbers as in `nesting_bound.py`. */
enum {
    NOT_LEFT_OPEN = 1 << 0,           /* there is none after its start tag, or only one in a page */
    RAW_TEXT = 1 << 1,                /* its content is text, up to its end tag */
    DOUBTFUL = 1 << 2,                /* what is markup and what is text inside depends on where it is */
    FORMATTING = 1 << 3,              /* a parser may open it again */
    CLOSED_BY_ITSELF = 1 << 4,        /* by another of its kind directly in it */
    CLOSED_AT_END = 1 << 5,           /* by the end of what it is in */
    CLOSED_AT_END_OF_TABLE = 1 << 6, /* the same, in a table */
    TABLE_PART = 1 << 7,
    CLOSES_WHAT_IS_IN_IT = 1 << 8,    /* its end tag, where that is unclosed and may be */
    FOREIGN = 1 << 9,                 /* SVG or MathML begins */
    ENDS_FOREIGN = 1 << 10,           /* it cannot be in SVG or MathML */
    HOLDS_HTML = 1 << 11,             /* in SVG or MathML */
    NOT_OF_FOREIGN_ALONE = 1 << 12,   /* its end tag may close HTML around SVG */
    SCRIPT = 1 << 13,
};

/* Names up to this length have kinds. */
#define LONGEST 15
#define SLOTS 1024 /* several times as many as there are names */
#define TABLE "transforms.html._nesting.kinds"

/* An end tag looks at so many open elements, so that the scan stays linear: at those that are told apart by what is known of them,
 * and at those whose names, of any length, are compared. */
#define FARTHEST_LOOK 1024
#define FARTHEST_LOOK_AT_NAMES 64

typedef const unsigned char *Text;

typedef struct {
    unsigned char size;
    unsigned char name[LONGEST];
    int kind;
} Slot;

typedef struct {
    Text begin;
    Py_ssize_t size;
    int kind;
} Name;

typedef struct {
    Name name;
    int is_end;
    int is_self_closing;
} Tag;

typedef struct {
    Text at, end;
    const Slot *kinds;
    Py_ssize_t max_nesting, max_attributes;
    int is_foreign; /* within SVG or MathML, where no element has raw text */
    Name *open;     /* outermost first */
    Py_ssize_t depth, room;
    Py_ssize_t read; /* tags, comments and the like so far */
} Scan;

typedef enum { PAGE_END, TAG, OTHER_MARKUP, UNCERTAIN, NO_MEMORY } Found;

static int is_letter(unsigned char byte) { return (unsigned char)((byte | 32) - 'a') < 26; }

static int is_space(unsigned char byte) {
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r' || byte == '\f';
}

static int ends_name(unsigned char byte) { return is_space(byte) || byte == '/' || byte == '>'; }

static unsigned char lower(unsigned char byte) { return (unsigned char)(byte - 'A') < 26 ? byte | 32 : byte; }

static Text find(Text at, Text end, unsigned char byte) {
    return at < end ? memchr(at, byte, (size_t)(end - at)) : NULL;
}

static int begins_with(Text at, Text end, const char *word) {
    size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

/* Whether a name, whatever its case, stands here. */
static int is_named(Text at, Text end, Text name, Py_ssize_t size) {
    if (end - at < size) {
        return 0;
    }
    for (Py_ssize_t place = 0; place < size; place++) {
        if (lower(at[place]) != lower(name[place])) {
            return 0;
        }
    }
    return 1;
}

static int is_same(const Name *one, const Name *other) {
    return one->size == other->size && is_named(one->begin, one->begin + one->size, other->begin, other->size);
}

/* The slot of a name in lower case, or the free one where it would be. */
static Py_ssize_t slot_of(const Slot *kinds, Text name, Py_ssize_t size) {
    unsigned hash = 2166136261u;
    for (Py_ssize_t place = 0; place < size; place++) {
        hash = (hash ^ name[place]) * 16777619u;
    }
    Py_ssize_t slot = (hash ^ hash >> 15) % SLOTS;
    while (kinds[slot].size && (kinds[slot].size != size || memcmp(kinds[slot].name, name, (size_t)size) != 0)) {
        slot = (slot + 1) % SLOTS;
    }
    return slot;
}

static int kind_of(const Slot *kinds, Text name, Py_ssize_t size) {
    unsigned char lowered[LONGEST];
    if (size > LONGEST) {
        return 0;
    }
    for (Py_ssize_t place = 0; place < size; place++) {
        lowered[place] = lower(name[place]);
    }
    return kinds[slot_of(kinds, lowered, size)].kind;
}

/* Reads a tag whose name begins here, with its attributes. */
static Found read_tag(Scan *scan, Text at, Tag *tag) {
    Text end = scan->end, begin = at;
    while (at < end && !ends_name(*at)) {
        at++;
    }
    tag->name = (Name){begin, at - begin, kind_of(scan->kinds, begin, at - begin)};
    for (Py_ssize_t attributes = 0;; attributes++) {
        int slash = 0;
        while (at < end && (is_space(*at) || *at == '/')) {
            slash = *at++ == '/';
        }
        if (at == end) {
            return UNCERTAIN; /* a parser drops a tag without its end, but the full scan does not */
        }
        if (attributes > scan->max_attributes) {
            return UNCERTAIN;
        }
        if (*at == '>') {
            tag->is_self_closing = slash;
            scan->at = at + 1;
            return TAG;
        }
        at++; /* the first character may be `=`, and is of the name all the same */
        while (at < end && !ends_name(*at) && *at != '=') {
            at++;
        }
        Text value = at;
        while (value < end && is_space(*value)) {
            value++;
        }
        if (value == end || *value != '=') {
            continue;
        }
        value++;
        while (value < end && is_space(*value)) {
            value++;
        }
        if (value < end && (*value == '"' || *value == '\'')) {
            value = find(value + 1, end, *value);
            if (value == NULL) {
                return UNCERTAIN;
            }
            at = value + 1;
        } else {
            while (value < end && !is_space(*value) && *value != '>') {
                value++;
            }
            at = value;
        }
    }
}

/* Whether `<name` stands here, or `</name` where the slash is passed already, as a whole word. */
static int begins_tag(Text at, Text end, Text name, Py_ssize_t size) {
    return end - at > size && is_named(at, end, name, size) && ends_name(at[size]);
}

/* Goes to the end tag of a raw text element, or to the end of the page. */
static void skip_raw_text(Scan *scan, const Name *name) {
    Text end = scan->end;
    for (Text at = scan->at; (at = find(at, end, '<')) != NULL; at++) {
        if (at + 1 < end && at[1] == '/' && begins_tag(at + 2, end, name->begin, name->size)) {
            scan->at = at;
            return;
        }
    }
    scan->at = end;
}

/* The same of a script: inside `<!--` a script in it hides one end tag ("script data double escaped state"). */
static void skip_script(Scan *scan) {
    static const unsigned char script[] = "script";
    Text at = scan->at, end = scan->end, tag;
    int is_escaped = 0, is_inner = 0;
    for (; (tag = find(at, end, '<')) != NULL; at = tag + 1) {
        for (Text dash = at; is_escaped && (dash = find(dash, tag, '-')) != NULL; dash++) {
            if (begins_with(dash, end, "-->")) {
                is_escaped = is_inner = 0;
            }
        }
        if (begins_with(tag, end, "<!--") && !begins_with(tag, end, "<!-->") && !begins_with(tag, end, "<!--->")) {
            is_escaped = 1;
        } else if (begins_tag(tag + 1, end, script, 6)) {
            is_inner = is_escaped;
        } else if (begins_with(tag, end, "</") && begins_tag(tag + 2, end, script, 6)) {
            if (!is_inner) {
                scan->at = tag;
                return;
            }
            is_inner = 0;
        }
    }
    scan->at = end;
}

static Found skip_to(Scan *scan, Text at, unsigned char byte) {
    Text found = find(at, scan->end, byte);
    scan->at = found == NULL ? scan->end : found + 1;
    return OTHER_MARKUP;
}

static Found skip_comment(Scan *scan, Text at) {
    Text end = scan->end;
    if (begins_with(at, end, ">") || begins_with(at, end, "->")) {
        return skip_to(scan, at, '>');
    }
    while ((at = find(at, end, '-')) != NULL) {
        if (begins_with(at, end, "-->") || begins_with(at, end, "--!>")) {
            return skip_to(scan, at, '>');
        }
        at++;
    }
    scan->at = end;
    return OTHER_MARKUP;
}

/* Reads the next tag, or passes the next comment, or the like. */
static Found read_markup(Scan *scan, Tag *tag) {
    Text end = scan->end;
    for (Text at = scan->at; (at = find(at, end, '<')) != NULL && end - at > 1; at++) {
        unsigned char next = at[1];
        scan->read++;
        if (is_letter(next)) {
            tag->is_end = 0;
            Found found = read_tag(scan, at + 1, tag);
            if (found == TAG && !scan->is_foreign) {
                if (tag->name.kind & SCRIPT) {
                    skip_script(scan);
                } else if (tag->name.kind & RAW_TEXT) {
                    skip_raw_text(scan, &tag->name);
                }
            }
            return found;
        }
        if (next == '/' && end - at > 2) {
            if (!is_letter(at[2])) {
                return skip_to(scan, at + 2, '>');
            }
            tag->is_end = 1;
            return read_tag(scan, at + 2, tag);
        }
        if (begins_with(at, end, "<!--")) {
            return skip_comment(scan, at + 4);
        }
        if (scan->is_foreign && begins_with(at, end, "<![CDATA[")) {
            return UNCERTAIN;
        }
        if (next == '!' || next == '?') {
            return skip_to(scan, at + 2, '>');
        }
    }
    return PAGE_END;
}

/* Leaves an element open. */
static Found push(Scan *scan, const Name *name) {
    if (scan->depth == scan->max_nesting) {
        return UNCERTAIN;
    }
    if (scan->depth == scan->room) {
        Name *more = PyMem_Realloc(scan->open, (size_t)scan->room * 2 * sizeof(Name));
        if (more == NULL) {
            return NO_MEMORY;
        }
        scan->open = more;
        scan->room *= 2;
    }
    scan->open[scan->depth++] = *name;
    return TAG;
}

static int is_top(const Scan *scan, const Name *name) {
    return scan->depth > 0 && is_same(&scan->open[scan->depth - 1], name);
}

/* Closes an element in which only unclosed ones are whose end tag may be omitted, if it has this name. */
static void close_near(Scan *scan, const Name *name) {
    int closed = name->kind & TABLE_PART ? CLOSED_AT_END_OF_TABLE : CLOSED_AT_END;
    Py_ssize_t place = scan->depth - 1, last = place - FARTHEST_LOOK;
    while (place >= 0 && place > last && scan->open[place].kind & closed && !is_same(&scan->open[place], name)) {
        place--;
    }
    if (place >= 0 && is_same(&scan->open[place], name)) {
        scan->depth = place;
    }
}

/* Closes the innermost foreign element of this name, with all in it; 0 where the tag may close what is around the foreign ones. */
static int close_foreign(Scan *scan, const Name *name, Py_ssize_t outermost) {
    Py_ssize_t place = scan->depth - 1, last = place - FARTHEST_LOOK_AT_NAMES;
    if (name->kind & NOT_OF_FOREIGN_ALONE) {
        return 0;
    }
    while (place > outermost && place > last && !(scan->open[place].kind & NOT_OF_FOREIGN_ALONE) &&
           !is_same(&scan->open[place], name)) {
        place--;
    }
    if (!is_same(&scan->open[place], name)) {
        return 0;
    }
    scan->depth = place;
    return 1;
}

/* Takes the tags of the SVG or MathML element that is the innermost open one, up to its end. */
static Found scan_foreign(Scan *scan) {
    Py_ssize_t outermost = scan->depth - 1;
    Tag tag;
    scan->is_foreign = 1;
    while (scan->depth > outermost) {
        Found found = read_markup(scan, &tag);
        if (found == OTHER_MARKUP) {
            continue;
        }
        if (found == TAG && tag.is_end) {
            if (is_top(scan, &tag.name)) {
                scan->depth--;
            } else if (!close_foreign(scan, &tag.name, outermost)) {
                found = UNCERTAIN;
            }
        } else if (found == TAG) {
            if (tag.name.kind & (DOUBTFUL | ENDS_FOREIGN) || scan->open[scan->depth - 1].kind & HOLDS_HTML) {
                found = UNCERTAIN;
            } else if (!tag.is_self_closing) {
                found = push(scan, &tag.name);
            }
        }
        if (found != TAG) {
            return found;
        }
    }
    scan->is_foreign = 0;
    return TAG;
}

/* Takes a start tag outside SVG and MathML. */
static Found start(Scan *scan, const Tag *tag) {
    int kind = tag->name.kind;
    if (kind & DOUBTFUL || (kind & RAW_TEXT && scan->depth >= scan->max_nesting)) {
        return UNCERTAIN;
    }
    if (kind & (NOT_LEFT_OPEN | RAW_TEXT) || (kind & CLOSED_BY_ITSELF && is_top(scan, &tag->name)) ||
        (kind & FOREIGN && tag->is_self_closing)) {
        return TAG;
    }
    Found found = push(scan, &tag->name);
    return found == TAG && kind & FOREIGN ? scan_foreign(scan) : found;
}

/* The whole page. formatting: how many formatting elements were open at once at most. */
static Found scan_page(Scan *scan, Py_ssize_t *formatting) {
    Py_ssize_t formatting_now = 0;
    Tag tag;
    for (;;) {
        Found found = read_markup(scan, &tag);
        if (found == OTHER_MARKUP) {
            continue;
        }
        if (found == TAG && !tag.is_end) {
            found = start(scan, &tag);
            formatting_now += tag.name.kind & FORMATTING && found == TAG;
            *formatting = formatting_now > *formatting ? formatting_now : *formatting;
        } else if (found == TAG && is_top(scan, &tag.name)) {
            scan->depth--;
            formatting_now -= (tag.name.kind & FORMATTING) != 0;
        } else if (found == TAG && tag.name.kind & CLOSES_WHAT_IS_IN_IT) {
            close_near(scan, &tag.name);
        }
        if (found != TAG) {
            return found;
        }
    }
}

static int as_limit(PyObject *given, Py_ssize_t *limit) {
    *limit = given == Py_None ? PY_SSIZE_T_MAX : PyLong_AsSsize_t(given);
    return !PyErr_Occurred();
}

static PyObject *surely_within(PyObject *module, PyObject *arguments) {
    const char *html;
    Py_ssize_t size, max_nodes, formatting = 0;
    PyObject *kinds, *nesting, *attributes, *nodes;
    Scan scan = {.room = 64};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#OOOO:surely_within", &html, &size, &kinds, &nesting, &attributes, &nodes) ||
        !as_limit(nesting, &scan.max_nesting) || !as_limit(attributes, &scan.max_attributes) || !as_limit(nodes, &max_nodes) ||
        (scan.kinds = PyCapsule_GetPointer(kinds, TABLE)) == NULL) {
        return NULL;
    }
    scan.at = (Text)html;
    scan.end = scan.at + size;
    scan.open = PyMem_Malloc((size_t)scan.room * sizeof(Name));
    Found found = scan.open == NULL ? NO_MEMORY : scan_page(&scan, &formatting);
    PyMem_Free(scan.open);
    if (found == NO_MEMORY) {
        return PyErr_NoMemory();
    }
    /* A page has html, head and body. Each tag may imply three elements, as a cell its row and the group of that, and may close all
     * formatting elements and open them again. */
    double elements = 3.0 + (double)scan.read * (4.0 + 2.0 * (double)formatting);
    return PyBool_FromLong(found == PAGE_END && (nodes == Py_None || elements <= (double)max_nodes));
}

static void free_kinds(PyObject *capsule) { PyMem_Free(PyCapsule_GetPointer(capsule, TABLE)); }

static PyObject *make_kinds(PyObject *module, PyObject *by_name) {
    PyObject *key, *value;
    Py_ssize_t place = 0;
    (void)module;
    if (!PyDict_Check(by_name) || PyDict_Size(by_name) > SLOTS / 2) {
        PyErr_SetString(PyExc_TypeError, "kinds are a dictionary of few names");
        return NULL;
    }
    Slot *kinds = PyMem_Calloc(SLOTS, sizeof(Slot));
    if (kinds == NULL) {
        return PyErr_NoMemory();
    }
    while (PyDict_Next(by_name, &place, &key, &value)) {
        Py_ssize_t size;
        const char *name = PyUnicode_AsUTF8AndSize(key, &size);
        long kind = name == NULL ? -1 : PyLong_AsLong(value);
        if (PyErr_Occurred() || size < 1 || size > LONGEST) {
            PyMem_Free(kinds);
            return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "%R is too long a name", key);
        }
        Slot *slot = &kinds[slot_of(kinds, (Text)name, size)];
        memcpy(slot->name, name, (size_t)size);
        slot->size = (unsigned char)size;
        slot->kind = (int)kind;
    }
    PyObject *capsule = PyCapsule_New(kinds, TABLE, free_kinds);
    if (capsule == NULL) {
        PyMem_Free(kinds);
    }
    return capsule;
}

static PyMethodDef methods[] = {
    {"make_kinds", make_kinds, METH_O, "The kinds of elements by their names in lower case, as `surely_within` takes them."},
    {"surely_within", surely_within, METH_VARARGS, "As that of `nesting_bound`, with the kinds of elements as second argument."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_nesting", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__nesting(void) { return PyModuleDef_Init(&definition); }
