/*
 * The template as a module of the interpreter: what the bootstrap calls. Uses
 * the part of Python's C API that is the same from 3.8 on.
 */
#define Py_LIMITED_API 0x03080000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <unistd.h>

#include "template.h"
#include "../../common/limits.h"

static void __attribute__((noreturn))
module_refuse(const char *reason)
{
	template_refuse(reason);
	_exit(FATAL_EXIT_STATUS);
}

PyDoc_STRVAR(module_serve_doc,
    "serve()\n\nFork boxes; return in each of them, and nowhere else.");

static PyObject *
module_serve(PyObject *self, PyObject *nothing)
{
	struct err err;
	int more;

	(void)self;
	(void)nothing;
	if (template_open(&err) == -1)
		module_refuse(err.text);
	while ((more = template_wait(&err)) == 1) {
		PyOS_BeforeFork();
		if (template_fork() == 1) {
			PyOS_AfterFork_Child();
			Py_RETURN_NONE;
		}
		PyOS_AfterFork_Parent();
	}
	if (more == -1)
		module_refuse(err.text);
	_exit(0);
}

PyDoc_STRVAR(module_refuse_doc,
    "refuse(reason)\n\nEnd, as there can be no template.");

static PyObject *
module_refuse_text(PyObject *self, PyObject *args)
{
	const char *reason;

	(void)self;
	if (!PyArg_ParseTuple(args, "s", &reason))
		return NULL;
	module_refuse(reason);
}

static PyMethodDef module_functions[] = {
	{ "serve", module_serve, METH_NOARGS, module_serve_doc },
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

PyMODINIT_FUNC PyInit_caisson_template(void);

PyMODINIT_FUNC
PyInit_caisson_template(void)
{
	return PyModuleDef_Init(&module_definition);
}
