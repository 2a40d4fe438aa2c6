/*
 * Printed lines: the stream of standard output as the code has it, with a
 * shorter way for lines. Part of the interpreter of a template and its boxes.
 *
 * sys.stdout writes each line at once, so that nothing is lost where the box is
 * killed, and all is in order with what others write to the descriptor. The
 * three objects that it consists of take longer for that than the kernel. Here
 * their methods are put aside, in the dictionaries of these objects: text ends
 * in one write() after each line. What is not as simple as that takes the usual
 * way, behind what came before. The objects and their types stay what they are.
 *
 * As soon as the stream is set up anew, taken apart or closed, it has its own
 * methods again. A call of a method by way of its type is not noticed.
 */
#define Py_LIMITED_API 0x03080000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "python.h"
#include "../../../common/limits.h"

/* Exported since Python 3.3, and declared for all versions from 3.10 on. */
extern const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *len);

/* The objects of the stream; the last but one is below the first, and so on. */
enum print_object {
	PRINT_TEXT,
	PRINT_BUFFER,
	PRINT_RAW,
	PRINT_OBJECTS,
};

/* The methods that are put aside. */
enum print_method {
	PRINT_WRITE,
	PRINT_FLUSH,
	PRINT_RECONFIGURE,
	PRINT_DETACH,
	PRINT_BUFFER_WRITE,
	PRINT_BUFFER_DETACH,
	PRINT_RAW_CLOSE,
	PRINT_METHODS,
};

static const struct {
	enum print_object of;
	const char *name;
} print_methods[PRINT_METHODS] = {
	[PRINT_WRITE] = { PRINT_TEXT, "write" },
	[PRINT_FLUSH] = { PRINT_TEXT, "flush" },
	[PRINT_RECONFIGURE] = { PRINT_TEXT, "reconfigure" },
	[PRINT_DETACH] = { PRINT_TEXT, "detach" },
	[PRINT_BUFFER_WRITE] = { PRINT_BUFFER, "write" },
	[PRINT_BUFFER_DETACH] = { PRINT_BUFFER, "detach" },
	[PRINT_RAW_CLOSE] = { PRINT_RAW, "close" },
};

static struct {
	int on;
	/*
	 * Not owned, so that the stream goes when the code drops it; its end
	 * sets on to 0.
	 */
	PyObject *objects[PRINT_OBJECTS];
	PyObject *own[PRINT_METHODS]; /* of their types, not bound */
	PyObject *ours[PRINT_METHODS];
	int behind; /* the stream itself may hold text, or bytes */
	size_t len; /* of the line that has begun */
	char line[PRINT_LINE_MAX];
} print;

/* Calls the stream's own method. Returns what it does. */
static PyObject *
print_call(enum print_method method, PyObject *arg)
{
	return PyObject_CallFunctionObjArgs(print.own[method],
	    print.objects[print_methods[method].of], arg, NULL);
}

/* The same, for a method whose value does not matter. Returns 0 or -1. */
static int
print_do(enum print_method method, PyObject *arg)
{
	PyObject *value = print_call(method, arg);

	Py_XDECREF(value);
	return value == NULL ? -1 : 0;
}

/*
 * Leaves bytes to the stream, which holds nothing, as if it had held them from
 * the beginning. An exception that is set stays set.
 */
static int
print_leave(const char *data, size_t len)
{
	PyObject *type, *value, *trace, *bytes;
	int done = -1;

	PyErr_Fetch(&type, &value, &trace);
	bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)len);
	print.behind = 1;
	if (bytes != NULL)
		done = print_do(PRINT_BUFFER_WRITE, bytes);
	Py_XDECREF(bytes);
	if (type != NULL)
		PyErr_Restore(type, value, trace);
	return done;
}

/* Writes, as long as no signal handler raises. Other threads run meanwhile. */
static ssize_t
print_write(const char *data, size_t len)
{
	PyThreadState *thread;
	ssize_t n;
	int error;

	do {
		thread = PyEval_SaveThread();
		n = write(STDOUT_FILENO, data, len);
		error = errno;
		PyEval_RestoreThread(thread);
	} while (n == -1 && error == EINTR && PyErr_CheckSignals() == 0);
	return n;
}

/* Writes these bytes now. Returns 0, or -1 with an exception. */
static int
print_out(const char *data, size_t len)
{
	ssize_t n = print_write(data, len);

	if (n == (ssize_t)len)
		return 0;
	/* The stream goes on, or finds out itself what is wrong. */
	if (print_leave(data + (n > 0 ? n : 0), len - (n > 0 ? (size_t)n : 0)))
		return -1;
	return PyErr_Occurred() ? -1 : print_do(PRINT_FLUSH, NULL);
}

/* Has everything that came before written now. */
static int
print_settle(void)
{
	char line[PRINT_LINE_MAX];
	size_t len = print.len;

	if (print.behind) {
		print.behind = 0; /* before: others may write meanwhile */
		if (print_do(PRINT_FLUSH, NULL) == -1) {
			print.behind = 1;
			return -1;
		}
	}
	if (len == 0)
		return 0;
	memcpy(line, print.line, len);
	print.len = 0;
	return print_out(line, len);
}

/* Gives the stream its own methods back. */
static void
print_restore(void)
{
	PyObject *names;
	int n;

	print.on = 0;
	for (n = 0; n < PRINT_METHODS; n++) {
		names = PyObject_GetAttrString(
		    print.objects[print_methods[n].of], "__dict__");
		if (names != NULL && PyDict_GetItemString(names,
		        print_methods[n].name) == print.ours[n])
			PyDict_DelItemString(names, print_methods[n].name);
		Py_XDECREF(names);
		PyErr_Clear();
	}
}

/* What a method of a stream does that has been closed, or has gone. */
static PyObject *
print_refuse(void)
{
	PyErr_SetString(PyExc_ValueError, "I/O operation on closed file.");
	return NULL;
}

/* Takes what is no short text the usual way, and the line that has begun. */
static PyObject *
print_as_usual(PyObject *text)
{
	PyObject *begun;
	int done;

	print.behind = 1;
	if (print.len > 0) {
		begun = PyUnicode_FromStringAndSize(
		    print.line, (Py_ssize_t)print.len);
		if (begun == NULL)
			return NULL;
		print.len = 0;
		done = print_do(PRINT_WRITE, begun);
		Py_DECREF(begun);
		if (done == -1)
			return NULL;
	}
	return print_call(PRINT_WRITE, text);
}

/* The bytes of a text that is not long; NULL for what takes the usual way. */
static const char *
print_bytes(PyObject *text, Py_ssize_t *len)
{
	const char *data;

	if (!PyUnicode_Check(text) ||
	    PyUnicode_GetLength(text) > (Py_ssize_t)PRINT_LINE_MAX)
		return NULL;
	data = PyUnicode_AsUTF8AndSize(text, len);
	if (data == NULL)
		PyErr_Clear(); /* half of a character */
	return data;
}

static PyObject *
print_text(PyObject *self, PyObject *text)
{
	const char *data;
	char line[PRINT_LINE_MAX];
	Py_ssize_t len = 0;
	size_t begun;

	(void)self;
	if (!print.on)
		return print_refuse();
	data = print_bytes(text, &len);
	if (data == NULL || print.len + (size_t)len > PRINT_LINE_MAX)
		return print_as_usual(text);
	begun = print.len;
	if (memchr(data, '\n', (size_t)len) == NULL &&
	    memchr(data, '\r', (size_t)len) == NULL) {
		memcpy(print.line + begun, data, (size_t)len);
		print.len = begun + (size_t)len;
		return PyLong_FromSsize_t(PyUnicode_GetLength(text));
	}
	memcpy(line, print.line, begun);
	memcpy(line + begun, data, (size_t)len);
	print.len = 0;
	if (print.behind && print_settle() == -1) {
		print_leave(line, begun + (size_t)len);
		return NULL;
	}
	if (print_out(line, begun + (size_t)len) == -1)
		return NULL;
	return PyLong_FromSsize_t(PyUnicode_GetLength(text));
}

static PyObject *
print_flush(PyObject *self, PyObject *nothing)
{
	(void)self;
	(void)nothing;
	if (!print.on)
		return print_refuse();
	if (print_settle() == -1)
		return NULL;
	Py_RETURN_NONE;
}

/*
 * Writes what came before, and gives the stream its own methods back. Returns
 * 0, or -1 with an exception.
 */
static int
print_end(void)
{
	if (!print.on) {
		print_refuse();
		return -1;
	}
	if (print_settle() == -1)
		return -1;
	print_restore();
	return 0;
}

static PyObject *
print_reconfigure(PyObject *self, PyObject *args, PyObject *names)
{
	PyObject *own, *value;

	(void)self;
	if (print_end() == -1)
		return NULL;
	own = PyObject_GetAttrString(print.objects[PRINT_TEXT], "reconfigure");
	value = own == NULL ? NULL : PyObject_Call(own, args, names);
	Py_XDECREF(own);
	return value;
}

static PyObject *
print_detach(PyObject *self, PyObject *nothing)
{
	(void)self;
	(void)nothing;
	if (print_end() == -1)
		return NULL;
	return print_call(PRINT_DETACH, NULL);
}

static PyObject *
print_buffer_write(PyObject *self, PyObject *bytes)
{
	(void)self;
	if (!print.on)
		return print_refuse();
	print.behind = 1;
	return print_call(PRINT_BUFFER_WRITE, bytes);
}

static PyObject *
print_buffer_detach(PyObject *self, PyObject *nothing)
{
	(void)self;
	(void)nothing;
	if (print_end() == -1)
		return NULL;
	return print_call(PRINT_BUFFER_DETACH, NULL);
}

/* All ways to close the stream lead here, behind its last flush(). */
static PyObject *
print_raw_close(PyObject *self, PyObject *nothing)
{
	(void)self;
	(void)nothing;
	if (!print.on)
		return print_refuse();
	print_restore();
	return print_call(PRINT_RAW_CLOSE, NULL);
}

static PyMethodDef print_ours[PRINT_METHODS] = {
	[PRINT_WRITE] = { "write", print_text, METH_O, NULL },
	[PRINT_FLUSH] = { "flush", print_flush, METH_NOARGS, NULL },
	[PRINT_RECONFIGURE] = { "reconfigure",
	    (PyCFunction)(void (*)(void))print_reconfigure,
	    METH_VARARGS | METH_KEYWORDS, NULL },
	[PRINT_DETACH] = { "detach", print_detach, METH_NOARGS, NULL },
	[PRINT_BUFFER_WRITE] = { "write", print_buffer_write, METH_O, NULL },
	[PRINT_BUFFER_DETACH] = { "detach", print_buffer_detach, METH_NOARGS,
	    NULL },
	[PRINT_RAW_CLOSE] = { "close", print_raw_close, METH_NOARGS, NULL },
};

/* Finds the objects and their own methods. Returns 0, or -1 with an exception.
 */
static int
print_find(PyObject *stream)
{
	PyObject *below;
	int n;

	print.objects[PRINT_TEXT] = stream;
	for (n = PRINT_BUFFER; n < PRINT_OBJECTS; n++) {
		below = PyObject_GetAttrString(print.objects[n - 1],
		    n == PRINT_BUFFER ? "buffer" : "raw");
		if (below == NULL)
			return -1;
		print.objects[n] = below;
		Py_DECREF(below); /* the object above has it */
	}
	for (n = 0; n < PRINT_METHODS; n++) {
		print.own[n] = PyObject_GetAttrString(
		    (PyObject *)Py_TYPE(print.objects[print_methods[n].of]),
		    print_methods[n].name);
		print.ours[n] = PyCFunction_NewEx(&print_ours[n], NULL, NULL);
		if (print.own[n] == NULL || print.ours[n] == NULL)
			return -1;
	}
	return 0;
}

int
print_shorten(void *stream)
{
	int n;

	if (print_find(stream) == -1 || print_do(PRINT_FLUSH, NULL) == -1)
		return -1;
	print.on = 1;
	for (n = 0; n < PRINT_METHODS; n++)
		if (PyObject_SetAttrString(
		        print.objects[print_methods[n].of],
		        print_methods[n].name, print.ours[n]) == -1) {
			print_restore();
			return -1;
		}
	return 0;
}
