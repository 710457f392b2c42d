namespace Loxo.Types;

/// <summary>tid: block in 4 bytes, place within it in 2 (tidsend, tid.c).</summary>
internal sealed class TidCodec : ValueCodec<PgTid>
{
    public override PgTid Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(FixedBytes.Exactly(6, value, "tid"), "tid");
        return new PgTid(scanner.TakeUInt32(), scanner.TakeUInt16());
    }

    public override void Write(MessageWriter writer, PgTid value)
    {
        writer.WriteUInt32(value.BlockNumber);
        writer.WriteInt16((short)value.OffsetNumber);
    }
}

/// <summary>pg_lsn: 8 bytes (pg_lsn_send, pg_lsn.c).</summary>
internal sealed class LsnCodec : ValueCodec<PgLogSequenceNumber>
{
    public override PgLogSequenceNumber Read(ReadOnlySpan<byte> value) => new(FixedBytes.Read<ulong>(value, "pg_lsn"));

    public override void Write(MessageWriter writer, PgLogSequenceNumber value) => writer.WriteUInt64(value.Value);
}

/// <summary>pg_snapshot, txid_snapshot: the number of transactions in progress, xmin, xmax, their numbers (pg_snapshot_send).</summary>
internal sealed class SnapshotCodec(string type) : ReferenceCodec<PgSnapshot>
{
    public override PgSnapshot Read(ReadOnlySpan<byte> value)
    {
        const int size = sizeof(ulong);
        var scanner = new BinaryScanner(value, type);
        var count = scanner.TakeInt32();
        var (xmin, xmax) = ((ulong)scanner.TakeInt64(), (ulong)scanner.TakeInt64());
        if (count < 0 || count > scanner.Left / size)
            throw scanner.Malformed("it claims more transactions than it has bytes for");
        var inProgress = new ulong[count];
        for (var i = 0; i < count; i++)
            inProgress[i] = (ulong)scanner.TakeInt64();
        scanner.End();
        return PgSnapshot.Of(xmin, xmax, inProgress) ?? throw scanner.Malformed("its numbers are not in order");
    }

    public override void Write(MessageWriter writer, PgSnapshot value)
    {
        writer.WriteInt32(value.InProgress.Count);
        writer.WriteUInt64(value.XMin);
        writer.WriteUInt64(value.XMax);
        foreach (var number in value.InProgress)
            writer.WriteUInt64(number);
    }
}
