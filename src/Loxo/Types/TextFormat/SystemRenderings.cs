using System.Globalization;
using System.Text;

namespace Loxo.Types.TextFormat;

/// <summary>bit and varbit: the number of bits in 4 bytes, then the bits, the first one highest (varbit_send, varbit.c).</summary>
internal sealed class BitRendering(string type) : TextRendering
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, type);
        var count = scanner.TakeInt32();
        if (count < 0)
            throw scanner.Malformed("its number of bits is negative");
        var bytes = scanner.Take((int)(((long)count + 7) / 8));
        scanner.End();
        var bits = new char[count];
        for (var i = 0; i < count; i++)
            bits[i] = (bytes[i / 8] >> (7 - i % 8) & 1) == 0 ? '0' : '1';
        return new string(bits);
    }
}

/// <summary>tid: block in 4 bytes, place within it in 2 (tidsend, tid.c).</summary>
internal sealed class TidRendering : TextRendering
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, "tid");
        var text = string.Create(CultureInfo.InvariantCulture, $"({scanner.TakeUInt32()},{scanner.TakeUInt16()})");
        scanner.End();
        return text;
    }
}

/// <summary>pg_lsn: 8 bytes, shown as two halves (pg_lsn_send, pg_lsn.c).</summary>
internal sealed class LsnRendering : TextRendering
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var position = FixedBytes.ReadUInt64(binary, "pg_lsn");
        return string.Create(CultureInfo.InvariantCulture, $"{position >> 32:X}/{(uint)position:X}");
    }
}

/// <summary>pg_snapshot: how many transactions were running, xmin, xmax, their numbers (pg_snapshot_send, xid8funcs.c).</summary>
internal sealed class SnapshotRendering(string type) : TextRendering
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, type);
        var count = scanner.TakeInt32();
        var text = new StringBuilder().Append(CultureInfo.InvariantCulture, $"{scanner.TakeInt64()}:{scanner.TakeInt64()}:");
        for (var i = 0; i < count; i++)
            text.Append(i == 0 ? "" : ",").Append(scanner.TakeInt64());
        scanner.End();
        return text.ToString();
    }
}
