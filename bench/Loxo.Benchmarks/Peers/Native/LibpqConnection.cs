using System.Globalization;
using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>A connection of libpq.</summary>
internal sealed unsafe class LibpqConnection : IDisposable
{
    public LibpqConnection(Target target, string settings = "")
    {
        var tls = target.IsTls ? "require" : "disable";
        Handle = Libpq.PQconnectdb(
            $"host={target.Host} port={target.Port} user={target.User} dbname={target.Database} sslmode={tls} gssencmode=disable {settings}");
        if (Libpq.PQstatus(Handle) != 0)
            throw Failed();
    }

    public nint Handle { get; private set; }

    /// <summary>Prepares a statement whose parameters, at most two, are int4. Both texts end in a zero.</summary>
    public void Prepare(byte[] name, byte[] sql, int parameters)
    {
        var types = stackalloc uint[] { Libpq.Int4, Libpq.Int4 };
        fixed (byte* nameText = name, sqlText = sql)
        {
            var result = Libpq.PQprepare(Handle, nameText, sqlText, parameters, types);
            Check(result, Libpq.CommandOk);
            Libpq.PQclear(result);
        }
    }

    /// <summary>Runs a statement without parameters or rows. The text ends in a zero.</summary>
    public void Execute(byte[] sql)
    {
        fixed (byte* sqlText = sql)
        {
            var result = Libpq.PQexecParams(Handle, sqlText, 0, null, null, null, null, 1);
            Check(result, Libpq.CommandOk);
            Libpq.PQclear(result);
        }
    }

    /// <summary>Begins to copy. The text ends in a zero.</summary>
    public void Begin(byte[] copy, int wanted)
    {
        fixed (byte* sql = copy)
        {
            var result = Libpq.PQexec(Handle, sql);
            Check(result, wanted);
            Libpq.PQclear(result);
        }
    }

    /// <summary>Waits for the end of a copy.</summary>
    /// <returns>The number of rows.</returns>
    public long EndCopy()
    {
        var result = Libpq.PQgetResult(Handle);
        Check(result, Libpq.CommandOk);
        var rows = long.Parse(Marshal.PtrToStringUTF8((nint)Libpq.PQcmdTuples(result))!, CultureInfo.InvariantCulture);
        Libpq.PQclear(result);
        while ((result = Libpq.PQgetResult(Handle)) != 0)
            Libpq.PQclear(result);
        return rows;
    }

    public void Check(nint result, int wanted)
    {
        if (Libpq.PQresultStatus(result) != wanted)
            throw Failed();
    }

    public InvalidOperationException Failed() => new("libpq: " + Marshal.PtrToStringUTF8(Libpq.PQerrorMessage(Handle)));

    public void Dispose()
    {
        Libpq.PQfinish(Handle);
        Handle = 0;
    }
}
