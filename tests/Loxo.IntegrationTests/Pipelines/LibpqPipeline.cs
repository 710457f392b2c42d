using System.Runtime.InteropServices;
using Loxo.IntegrationTests.Tls;
using static Loxo.IntegrationTests.Tls.LibpqLibrary;

namespace Loxo.IntegrationTests.Pipelines;

/// <summary>A connection of libpq in this process, in pipeline mode (manual, "Pipeline Mode").</summary>
internal sealed class LibpqPipeline : IDisposable
{
    private const int TuplesOk = 2, FatalError = 7, PipelineSync = 10, PipelineAborted = 11;
    private const int SqlStateField = 'C';
    private const uint Int4 = 23;

    private readonly nint _connection;
    private readonly SendQuery _send;
    private readonly Call _sync;
    private readonly Next _next;
    private readonly Call _status;
    private readonly Field _field;
    private readonly Value _value;
    private readonly Call _rows;
    private readonly Text _affected;
    private readonly End _clear;
    private readonly End _finish;
    private string? _syncError;

    private LibpqPipeline(nint library, string settings)
    {
        _send = Export<SendQuery>(library, "PQsendQueryParams");
        _sync = Export<Call>(library, "PQpipelineSync");
        _next = Export<Next>(library, "PQgetResult");
        _status = Export<Call>(library, "PQresultStatus");
        _field = Export<Field>(library, "PQresultErrorField");
        _value = Export<Value>(library, "PQgetvalue");
        _rows = Export<Call>(library, "PQntuples");
        _affected = Export<Text>(library, "PQcmdTuples");
        _clear = Export<End>(library, "PQclear");
        _finish = Export<End>(library, "PQfinish");
        _connection = Export<Connect>(library, "PQconnectdb")(settings);
        Assert.That(Export<Call>(library, "PQstatus")(_connection), Is.Zero, () => Utf8(Export<Text>(library, "PQerrorMessage")(_connection)));
        Assert.That(Export<Call>(library, "PQenterPipelineMode")(_connection), Is.EqualTo(1));
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint Connect([MarshalAs(UnmanagedType.LPUTF8Str)] string settings);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int SendQuery(
        nint connection, [MarshalAs(UnmanagedType.LPUTF8Str)] string sql, int count, uint[] types, nint[] values, nint lengths, nint formats, int resultFormat);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate int Call(nint handle);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint Next(nint connection);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint Text(nint handle);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint Field(nint result, int field);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate nint Value(nint result, int row, int column);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void End(nint handle);

    /// <summary>Null without a libpq that has pipelines, which came with PostgreSQL 14.</summary>
    public static LibpqPipeline? Open(string connectionString)
    {
        if (Find(TestServer.Default.BinaryDirectory) is not { } library || !NativeLibrary.TryGetExport(library, "PQenterPipelineMode", out _))
            return null;
        var server = new PgConnectionStringBuilder(connectionString);
        return new(library, $"host='{server.Host}' port={server.Port} user='{server.Username}' password='{server.Password}' dbname='{server.Database}'");
    }

    /// <summary>Sends a statement whose parameters are int4.</summary>
    public void Send(string sql, params int[] values)
    {
        var texts = Array.ConvertAll(values, static value => Marshal.StringToCoTaskMemUTF8(value.ToString(System.Globalization.CultureInfo.InvariantCulture)));
        var sent = _send(_connection, sql, values.Length, Array.ConvertAll(values, static _ => Int4), texts, 0, 0, 0);
        Array.ForEach(texts, Marshal.FreeCoTaskMem);
        Assert.That(sent, Is.EqualTo(1));
    }

    public void Sync() => Assert.That(_sync(_connection), Is.EqualTo(1));

    /// <summary>The result of the next statement.</summary>
    public LibpqResult Statement()
    {
        var result = Take();
        Assert.That(result.Status, Is.Not.EqualTo(PipelineSync));
        // The error of a Sync may count as another result of the statement in front of it.
        for (nint more; (more = _next(_connection)) != 0;)
            _syncError = Read(more).SqlState;
        return result;
    }

    /// <summary>The SQLSTATE of the next Sync's own error, or null.</summary>
    public string? AwaitSync()
    {
        var error = _syncError;
        _syncError = null;
        for (var result = Take(); result.Status != PipelineSync; result = Take())
        {
            error ??= result.SqlState;
            Assert.That(_next(_connection), Is.EqualTo((nint)0));
        }
        return error;
    }

    public void Dispose() => _finish(_connection);

    private LibpqResult Take()
    {
        var handle = _next(_connection);
        Assert.That(handle, Is.Not.EqualTo((nint)0), "a result is due");
        return Read(handle);
    }

    private LibpqResult Read(nint handle)
    {
        var status = _status(handle);
        var result = new LibpqResult(
            status,
            status == PipelineAborted,
            status == FatalError ? Utf8(_field(handle, SqlStateField)) : null,
            status == TuplesOk ? [.. Enumerable.Range(0, _rows(handle)).Select(row => Utf8(_value(handle, row, 0)))] : [],
            Utf8(_affected(handle)));
        _clear(handle);
        return result;
    }

    private static string Utf8(nint text) => Marshal.PtrToStringUTF8(text) ?? "";
}

/// <summary>A result of libpq.</summary>
/// <param name="Status">Its ExecStatusType.</param>
/// <param name="IsSkipped">Whether the server skipped the statement because of an earlier error.</param>
/// <param name="SqlState">Of the error; null without one.</param>
/// <param name="Values">The first column of each row.</param>
/// <param name="Affected">The number in the command's tag, or nothing.</param>
internal sealed record LibpqResult(int Status, bool IsSkipped, string? SqlState, string[] Values, string Affected);
