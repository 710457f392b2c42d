namespace Loxo.Benchmarks.Canned;

/// <summary>
/// The answer to START_REPLICATION: one transaction that inserts rows of int8, text, timestamptz and float8, as pgoutput sends them in binary
/// format, and the end of the replication (manual, "Logical Replication Message Formats").
/// </summary>
internal static class CannedChanges
{
    public const int Rows = 20_000;

    private const int Relation = 16_384;
    private const long Start = 0x1000000;

    private static readonly (string Name, int Type)[] Columns = [("id", 20), ("name", 25), ("at", 1184), ("price", 701)];

    public static byte[] Bytes { get; } = Make();

    private static byte[] Make()
    {
        var bytes = new MessageBytes();
        bytes.Begin('W').Byte(0).Int16(0).End();
        Data(bytes).Byte((byte)'B').Int64(Start).Int64(0).Int32(1).End();
        Data(bytes).Byte((byte)'R').Int32(Relation).Text("public").Text("canned").Byte((byte)'d').Int16(Columns.Length);
        foreach (var (name, type) in Columns)
            bytes.Byte(0).Text(name).Int32(type).Int32(-1);
        bytes.End();
        for (var row = 0; row < Rows; row++)
        {
            Data(bytes).Byte((byte)'I').Int32(Relation).Byte((byte)'N').Int16(Columns.Length);
            bytes.Byte((byte)'b').Int32(sizeof(long)).Int64(CannedData.Id(row));
            bytes.Byte((byte)'b');
            CannedValues.WriteText(bytes, CannedData.Values[row % CannedData.Rows].Name);
            bytes.Byte((byte)'b');
            CannedValues.WriteTime(bytes, CannedData.Values[row % CannedData.Rows].At);
            bytes.Byte((byte)'b').Int32(sizeof(double)).Int64(BitConverter.DoubleToInt64Bits(CannedData.Price(row)));
            bytes.End();
        }
        Data(bytes).Byte((byte)'C').Byte(0).Int64(Start).Int64(Start + 1).Int64(0).End();
        return bytes.Empty('c').ToArray();
    }

    private static MessageBytes Data(MessageBytes bytes) => bytes.Begin('d').Byte((byte)'w').Int64(Start).Int64(Start).Int64(0);
}
