/*
 * The template as a module of the interpreter: what the bootstrap calls. Uses
 * the part of Python's C API that is the same from 3.8 on.
 */
#define Py_LIMITED_API 0x03080000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <unistd.h>

#include "python.h"
#include "../../../common/limits.h"

/*
 * The same in all versions since 3.4, and exported by them, but not among what
 * is declared here.
 */
extern void PyObject_SetArenaAllocator(const struct pages_allocator *allocator);
extern void PyMem_GetAllocator(int kind, struct compact_allocator *allocator);
extern void PyMem_SetAllocator(int kind, struct compact_allocator *allocator);

/* The other half of the library. */
static const struct module_template *module_template;

static void __attribute__((noreturn))
module_refuse(const char *reason)
{
	module_template->refuse(reason);
	_exit(FATAL_EXIT_STATUS);
}

/* Whether this is a box: serve() makes no other box there. */
static int module_is_box;

PyDoc_STRVAR(module_serve_doc,
    "serve(frame)\n\nFork boxes; return in each of them, and nowhere else. A "
    "sample box comes first, which reads the frame and has no relay.");

/* Called in each box. */
static PyObject *
module_become_box(void)
{
	module_is_box = 1;
	PyOS_AfterFork_Child();
	Py_RETURN_NONE;
}

static PyObject *
module_serve(PyObject *, PyObject *frame)
{
	struct err err;
	char *bytes;
	Py_ssize_t size;
	int more;

	if (PyBytes_AsStringAndSize(frame, &bytes, &size) == -1)
		return NULL;
	if (module_is_box)
		_exit(FATAL_EXIT_STATUS);
	if (module_template->open(&err) == -1)
		module_refuse(err.text);
	pages_enlarge();
	/*
	 * Once for all boxes: a copy is made of the same state each time, and
	 * a template that writes to none of the memory of the interpreter
	 * copies none of it.
	 */
	PyOS_BeforeFork();
	compact_limit(BOX_COMPACT_MOST);
	if (module_template->sample(bytes, (size_t)size) == 1)
		return module_become_box();
	if (module_template->begin(&err) == -1)
		module_refuse(err.text);
	while ((more = module_template->wait(&err)) == 1)
		if (module_template->fork() == 1)
			return module_become_box();
	if (more == -1)
		module_refuse(err.text);
	_exit(0);
}

PyDoc_STRVAR(module_rehearse_doc,
    "rehearse()\n\nDo what the interpreter does around a fork, without one.");

static PyObject *
module_rehearse(PyObject *, PyObject *)
{
	PyOS_BeforeFork();
	PyOS_AfterFork_Child();
	Py_RETURN_NONE;
}

PyDoc_STRVAR(module_compact_doc,
    "compact()\n\nHave what is allocated from now on lie side by side.");

static PyObject *
module_compact(PyObject *, PyObject *)
{
	compact_begin(PyMem_GetAllocator, PyMem_SetAllocator);
	Py_RETURN_NONE;
}

PyDoc_STRVAR(module_compact_end_doc,
    "compact_end()\n\nEnd what compact() has begun.");

static PyObject *
module_compact_end(PyObject *, PyObject *)
{
	compact_end();
	Py_RETURN_NONE;
}

PyDoc_STRVAR(module_fill_doc,
    "fill()\n\nHave what is allocated from now on lie close together. Ends "
    "what compact() has begun.");

static PyObject *
module_fill(PyObject *, PyObject *)
{
	compact_end();
	holes_fill(PyObject_Malloc);
	Py_RETURN_NONE;
}

PyDoc_STRVAR(module_leave_doc, "leave(status)\n\nEnd, as os._exit() does.");

/*
 * The interpreter's own looks for the function of the C library where it is
 * called for the first time, which here would be in every box.
 */
static PyObject *
module_leave(PyObject *, PyObject *args)
{
	int status;

	if (!PyArg_ParseTuple(args, "i", &status))
		return NULL;
	module_template->tell();
	_exit(status);
}

/* Whether the type of an object is among these. */
static int
module_is_among(PyObject *thing, PyObject *types)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_Size(types); i++)
		if (PyTuple_GetItem(types, i) == (PyObject *)Py_TYPE(thing))
			return 1;
	return 0;
}

PyDoc_STRVAR(module_choose_doc,
    "choose(things, types)\n\nReturn a list of those that are exactly of one "
    "of these types.");

/*
 * In Python, each look at the type of an object counts as a use of the type, so
 * a box would copy the memory of all these types.
 */
static PyObject *
module_choose(PyObject *, PyObject *args)
{
	PyObject *things, *types, *chosen, *thing;
	Py_ssize_t i;

	if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &things,
	        &PyTuple_Type, &types) || (chosen = PyList_New(0)) == NULL)
		return NULL;
	for (i = 0; i < PyList_Size(things); i++) {
		thing = PyList_GetItem(things, i);
		if (module_is_among(thing, types) &&
		    PyList_Append(chosen, thing) == -1) {
			Py_DECREF(chosen);
			return NULL;
		}
	}
	return chosen;
}

PyDoc_STRVAR(module_refuse_doc,
    "refuse(reason)\n\nEnd, as there can be no template.");

static PyObject *
module_refuse_text(PyObject *, PyObject *args)
{
	const char *reason;

	if (!PyArg_ParseTuple(args, "s", &reason))
		return NULL;
	module_refuse(reason);
}

static PyMethodDef module_functions[] = {
	{ "serve", module_serve, METH_O, module_serve_doc },
	{ "rehearse", module_rehearse, METH_NOARGS, module_rehearse_doc },
	{ "fill", module_fill, METH_NOARGS, module_fill_doc },
	{ "compact", module_compact, METH_NOARGS, module_compact_doc },
	{ "compact_end", module_compact_end, METH_NOARGS,
	    module_compact_end_doc },
	{ "leave", module_leave, METH_VARARGS, module_leave_doc },
	{ "choose", module_choose, METH_VARARGS, module_choose_doc },
	{ "refuse", module_refuse_text, METH_VARARGS, module_refuse_doc },
	{ NULL, NULL, 0, NULL },
};

static PyModuleDef_Slot module_slots[] = { { 0, NULL } };

static struct PyModuleDef module_definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "caisson_template",
	.m_methods = module_functions,
	.m_slots = module_slots,
};

void *
module_make(const struct module_template *template)
{
	module_template = template;
	/* Boxes write to this module, and to what is made before all others. */
	if (!module_is_box) {
		PyObject_SetArenaAllocator(pages_gather());
		holes_fill(PyObject_Malloc);
		compact_begin(PyMem_GetAllocator, PyMem_SetAllocator);
	}
	return PyModuleDef_Init(&module_definition);
}
