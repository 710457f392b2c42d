using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>The few functions of libpq that prepared queries, a pipeline and COPY need (manual, libpq).</summary>
internal static unsafe partial class Libpq
{
    public const int TuplesOk = 2;
    public const int CommandOk = 1;
    public const int CopyOut = 3;
    public const int CopyIn = 4;
    public const int PipelineSync = 10;
    public const uint Int4 = 23;
    private const string Library = "libpq.so.5";

    public static bool IsThere { get; } = NativeLibrary.TryLoad(Library, out _);

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    public static partial nint PQconnectdb(string parameters);

    [LibraryImport(Library)]
    public static partial int PQstatus(nint connection);

    [LibraryImport(Library)]
    public static partial nint PQerrorMessage(nint connection);

    [LibraryImport(Library)]
    public static partial void PQfinish(nint connection);

    [LibraryImport(Library)]
    public static partial nint PQprepare(nint connection, byte* name, byte* sql, int count, uint* types);

    [LibraryImport(Library)]
    public static partial nint PQexecPrepared(nint connection, byte* name, int count, byte** values, int* lengths, int* formats, int resultFormat);

    [LibraryImport(Library)]
    public static partial nint PQexecParams(
        nint connection, byte* sql, int count, uint* types, byte** values, int* lengths, int* formats, int resultFormat);

    [LibraryImport(Library)]
    public static partial nint PQexec(nint connection, byte* sql);

    [LibraryImport(Library)]
    public static partial int PQputCopyData(nint connection, byte* bytes, int length);

    [LibraryImport(Library)]
    public static partial int PQputCopyEnd(nint connection, byte* error);

    [LibraryImport(Library)]
    public static partial int PQgetCopyData(nint connection, byte** bytes, int isAsync);

    [LibraryImport(Library)]
    public static partial void PQfreemem(byte* bytes);

    [LibraryImport(Library)]
    public static partial byte* PQcmdTuples(nint result);

    [LibraryImport(Library)]
    public static partial int PQenterPipelineMode(nint connection);

    [LibraryImport(Library)]
    public static partial int PQsendQueryPrepared(
        nint connection, byte* name, int count, byte** values, int* lengths, int* formats, int resultFormat);

    [LibraryImport(Library)]
    public static partial int PQpipelineSync(nint connection);

    [LibraryImport(Library)]
    public static partial nint PQgetResult(nint connection);

    [LibraryImport(Library)]
    public static partial void PQclear(nint result);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int PQresultStatus(nint result);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int PQntuples(nint result);

    // Those that only look into the result are called without the runtime's bookkeeping, as a C program would call them.
    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial byte* PQgetvalue(nint result, int row, int column);

    [LibraryImport(Library)]
    [SuppressGCTransition]
    public static partial int PQgetlength(nint result, int row, int column);
}
