namespace Loxo.Benchmarks.Canned;

/// <summary>What the canned server says about a statement and when it is executed, encoded once.</summary>
/// <param name="Described">Answer to Describe of the statement: RowDescription with formats 0, for they are not known yet; or NoData.</param>
/// <param name="DescribedPortal">Answer to Describe of the portal: the same with the formats.</param>
/// <param name="Rows">Answer to Execute: DataRows and CommandComplete. Null where values are written: then it depends on them.</param>
internal sealed record CannedAnswer(byte[] Described, byte[] DescribedPortal, byte[]? Rows)
{
    private const int Int4 = 23;
    private const int Int8 = 20;
    private const int Text = 25;
    private const int Float8 = 701;
    private const int Timestamptz = 1184;

    /// <summary>The answers by the statement's text.</summary>
    public static Dictionary<string, CannedAnswer> All() => new()
    {
        [CannedData.Sql(CannedWork.Rows)] = Query([("id", Int8), ("name", Text), ("at", Timestamptz), ("price", Float8)], (bytes, row) => WriteRow(bytes, row, withText: true)),
        [CannedData.Sql(CannedWork.RowsWithoutString)] = Query([("id", Int8), ("at", Timestamptz), ("price", Float8)], (bytes, row) => WriteRow(bytes, row, withText: false)),
        [CannedData.Sql(CannedWork.ReadValues)] = Query(
            [.. "number truth name uid at amount parts".Split(' ').Zip(CannedData.Types)],
            (bytes, row) => CannedValues.Write(bytes, CannedData.Values[row])),
        [TestData.Sql(Workload.Lookup)] = Query([("id", Int4), ("amount", Int8)], WriteLookup, rows: 1),
        [CannedData.SharingQuery] = Query([("current_setting", Text), ("pg_backend_pid", Text)], WriteSharing, rows: 1),
        [CannedData.Sql(CannedWork.WriteValues)] = new CannedAnswer(NoData(), NoData(), null),
    };

    private static CannedAnswer Query((string Name, int Type)[] columns, Action<MessageBytes, int> write, int rows = CannedData.Rows)
    {
        var bytes = new MessageBytes();
        for (var row = 0; row < rows; row++)
        {
            bytes.Begin('D').Int16(columns.Length);
            write(bytes, row);
            bytes.End();
        }
        bytes.Begin('C').Text($"SELECT {rows}").End();
        return new CannedAnswer(Description(columns, format: 0), Description(columns, format: 1), bytes.ToArray());
    }

    private static void WriteSharing(MessageBytes bytes, int row)
    {
        CannedValues.WriteText(bytes, "read committed");
        CannedValues.WriteText(bytes, $"{CannedData.ProcessId}");
    }

    private static void WriteLookup(MessageBytes bytes, int row) => bytes.Int32(sizeof(int)).Int32(row).Int32(sizeof(long)).Int64(row * 3L);

    private static void WriteRow(MessageBytes bytes, int row, bool withText)
    {
        bytes.Int32(sizeof(long)).Int64(CannedData.Id(row));
        if (withText)
            CannedValues.WriteText(bytes, CannedData.Values[row].Name);
        CannedValues.WriteTime(bytes, CannedData.Values[row].At);
        bytes.Int32(sizeof(double)).Int64(BitConverter.DoubleToInt64Bits(CannedData.Price(row)));
    }

    private static byte[] NoData() => new MessageBytes().Empty('n').ToArray();

    // Name, table, column, type, its length, its modifier, format.
    private static byte[] Description((string Name, int Type)[] columns, int format)
    {
        var bytes = new MessageBytes().Begin('T').Int16(columns.Length);
        foreach (var (name, type) in columns)
            bytes.Text(name).Int32(0).Int16(0).Int32(type).Int16(-1).Int32(-1).Int16(format);
        return bytes.End().ToArray();
    }
}
