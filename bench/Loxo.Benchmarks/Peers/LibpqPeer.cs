using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;

namespace Loxo.Benchmarks.Peers;

/// <summary>libpq as a C program would use it: binary both ways, texts encoded beforehand. It has no awaitable form.</summary>
internal sealed unsafe class LibpqPeer : IPeer
{
    private const uint Int4 = 23;
    private static readonly byte[] LookupName = "lookup\0"u8.ToArray();
    private static readonly byte[] RowsName = "rows\0"u8.ToArray();
    private static readonly byte[] LookupSql = Encoding.UTF8.GetBytes(TestData.Lookup + "\0");
    private static readonly byte[] RowsSql = Encoding.UTF8.GetBytes(TestData.ReadRows + "\0");
    private static readonly byte[] SelectOneSql = Encoding.UTF8.GetBytes(TestData.SelectOne + "\0");
    private nint _connection;

    public LibpqPeer(Target target)
    {
        _connection = Libpq.PQconnectdb($"host={target.Host} port={target.Port} user={target.User} dbname={target.Database} sslmode=disable gssencmode=disable");
        if (Libpq.PQstatus(_connection) != 0)
            throw Failed();
        Prepare(LookupName, LookupSql, 1);
        Prepare(RowsName, RowsSql, 0);
    }

    public Func<int, long> Blocking(Workload workload) => workload switch
    {
        Workload.Lookup => times => Keyed(times, LookupName, prepared: true),
        Workload.ReadRows => ReadRows,
        Workload.SelectOne => SelectOne,
        _ => times => Keyed(times, LookupSql, prepared: false),
    };

    public Func<int, Task<long>>? Async(Workload workload) => null;

    public void Dispose()
    {
        Libpq.PQfinish(_connection);
        _connection = 0;
    }

    private long Keyed(int times, byte[] nameOrSql, bool prepared)
    {
        long sum = 0;
        int key, length = sizeof(int), format = 1;
        var type = Int4;
        var value = (byte*)&key;
        fixed (byte* text = nameOrSql)
        {
            for (var i = 0; i < times; i++)
            {
                key = BinaryPrimitives.ReverseEndianness(TestData.Key(i));
                var result = prepared
                    ? Libpq.PQexecPrepared(_connection, text, 1, &value, &length, &format, 1)
                    : Libpq.PQexecParams(_connection, text, 1, &type, &value, &length, &format, 1);
                Check(result, Libpq.TuplesOk);
                sum += Int32(result, 0, 0) + Int64(result, 0, 1);
                Libpq.PQclear(result);
            }
        }
        return sum;
    }

    private long ReadRows(int times)
    {
        long sum = 0;
        fixed (byte* name = RowsName)
        {
            for (var i = 0; i < times; i++)
            {
                var result = Libpq.PQexecPrepared(_connection, name, 0, null, null, null, 1);
                Check(result, Libpq.TuplesOk);
                var rows = Libpq.PQntuples(result);
                for (var row = 0; row < rows; row++)
                {
                    sum += Int32(result, row, 0) + Text(result, row, 1).Length + Text(result, row, 2).Length + Int64(result, row, 3)
                        + (long)BitConverter.Int64BitsToDouble(Int64(result, row, 4));
                }
                Libpq.PQclear(result);
            }
        }
        return sum;
    }

    private long SelectOne(int times)
    {
        long sum = 0;
        fixed (byte* sql = SelectOneSql)
        {
            for (var i = 0; i < times; i++)
            {
                var result = Libpq.PQexecParams(_connection, sql, 0, null, null, null, null, 1);
                Check(result, Libpq.TuplesOk);
                sum += Int32(result, 0, 0);
                Libpq.PQclear(result);
            }
        }
        return sum;
    }

    private static int Int32(nint result, int row, int column) =>
        BinaryPrimitives.ReverseEndianness(*(int*)Libpq.PQgetvalue(result, row, column));

    private static long Int64(nint result, int row, int column) =>
        BinaryPrimitives.ReverseEndianness(*(long*)Libpq.PQgetvalue(result, row, column));

    private static string Text(nint result, int row, int column) =>
        Encoding.UTF8.GetString(Libpq.PQgetvalue(result, row, column), Libpq.PQgetlength(result, row, column));

    private void Prepare(byte[] name, byte[] sql, int parameters)
    {
        var type = Int4;
        fixed (byte* nameText = name, sqlText = sql)
        {
            var result = Libpq.PQprepare(_connection, nameText, sqlText, parameters, &type);
            Check(result, Libpq.CommandOk);
            Libpq.PQclear(result);
        }
    }

    private void Check(nint result, int wanted)
    {
        if (Libpq.PQresultStatus(result) != wanted)
            throw Failed();
    }

    private InvalidOperationException Failed() =>
        new("libpq: " + Marshal.PtrToStringUTF8(Libpq.PQerrorMessage(_connection)));
}
