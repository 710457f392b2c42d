using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;
using Loxo.Benchmarks.Peers.Drivers;

namespace Loxo.Benchmarks.Peers.Native;

/// <summary>libpq copies rows in; it encodes nothing, so the rows are encoded beforehand.</summary>
internal sealed unsafe class LibpqCopyIn : IPeer
{
    private readonly LibpqConnection _connection;
    private readonly byte[] _copy;
    private readonly byte[][] _rows;
    private readonly byte[]? _empty;

    /// <summary>Connects.</summary>
    /// <param name="target">The server.</param>
    /// <param name="copy">The statement.</param>
    /// <param name="rows">The rows.</param>
    /// <param name="create">Run once; null for nothing.</param>
    /// <param name="empty">Run before each copy; null for nothing.</param>
    public LibpqCopyIn(Target target, string copy, byte[][] rows, string? create = null, string? empty = null)
    {
        _connection = new LibpqConnection(target);
        (_copy, _rows) = (Terminated(copy), rows);
        _empty = empty is null ? null : Terminated(empty);
        if (create is not null)
            _connection.Execute(Terminated(create));
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            if (_empty is not null)
                _connection.Execute(_empty);
            _connection.Begin(_copy, Libpq.CopyIn);
            Put(CopyBytes.Header);
            foreach (var row in _rows)
                Put(row);
            Put(CopyBytes.End);
            if (Libpq.PQputCopyEnd(_connection.Handle, null) != 1)
                throw _connection.Failed();
            sum += _connection.EndCopy();
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("libpq only blocks.");

    public void Dispose() => _connection.Dispose();

    private void Put(byte[] bytes)
    {
        fixed (byte* first = bytes)
        {
            if (Libpq.PQputCopyData(_connection.Handle, first, bytes.Length) != 1)
                throw _connection.Failed();
        }
    }

    private static byte[] Terminated(string sql) => Encoding.UTF8.GetBytes(sql + "\0");
}

/// <summary>libpq copies rows of five columns out.</summary>
internal sealed unsafe class LibpqCopyOut(Target target) : IPeer
{
    private static readonly byte[] Copy = Encoding.UTF8.GetBytes(CopiedItems.Out + "\0");

    private readonly LibpqConnection _connection = new(target);

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            _connection.Begin(Copy, Libpq.CopyOut);
            byte* bytes;
            int length;
            while ((length = Libpq.PQgetCopyData(_connection.Handle, &bytes, 0)) > 0)
            {
                sum += Sum(new ReadOnlySpan<byte>(bytes, length));
                Libpq.PQfreemem(bytes);
            }
            if (length != -1)
                throw _connection.Failed();
            _connection.EndCopy();
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("libpq only blocks.");

    public void Dispose() => _connection.Dispose();

    // The first row comes with the header.
    private static long Sum(ReadOnlySpan<byte> row)
    {
        if (row.StartsWith(CopyBytes.Header))
            row = row[CopyBytes.Header.Length..];
        if (row.IsEmpty || BinaryPrimitives.ReadInt16BigEndian(row) < 0)
            return 0;
        row = row[2..];
        long sum = BinaryPrimitives.ReadInt32BigEndian(Take(ref row));
        sum += Encoding.UTF8.GetString(Take(ref row)).Length;
        sum += Encoding.UTF8.GetString(Take(ref row)).Length;
        sum += BinaryPrimitives.ReadInt64BigEndian(Take(ref row));
        return sum + (long)BinaryPrimitives.ReadDoubleBigEndian(Take(ref row));
    }

    private static ReadOnlySpan<byte> Take(ref ReadOnlySpan<byte> row)
    {
        var length = BinaryPrimitives.ReadInt32BigEndian(row);
        var value = row.Slice(4, length);
        row = row[(4 + length)..];
        return value;
    }
}
