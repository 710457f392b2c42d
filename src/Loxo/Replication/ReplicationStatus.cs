using Loxo.Protocol.Frontend;

namespace Loxo.Replication;

/// <summary>How far the program has come, as the server is told. The places may be set and sent by several threads.</summary>
internal sealed class ReplicationStatus
{
    private ulong _received;
    private ulong _flushed;
    private ulong _applied;
    private ulong _toldFlushed;

    public PgLogSequenceNumber Received => new(Volatile.Read(ref _received));

    public PgLogSequenceNumber Flushed
    {
        get => new(Volatile.Read(ref _flushed));
        set => Volatile.Write(ref _flushed, value.Value);
    }

    public PgLogSequenceNumber Applied
    {
        get => new(Volatile.Read(ref _applied));
        set => Volatile.Write(ref _applied, value.Value);
    }

    /// <summary>Everything in front of that place has arrived.</summary>
    public void Advance(ulong received)
    {
        // Only the reader of the stream advances it.
        if (received > _received)
            Volatile.Write(ref _received, received);
    }

    /// <summary>Writes a Standby status update.</summary>
    /// <param name="output">Where it is written, by one thread at a time.</param>
    /// <param name="time">For the clock.</param>
    /// <param name="asksForReply">Whether the server is to answer.</param>
    /// <param name="onlyNews">
    /// Whether a flushed place that the server knows is left out. A server that shuts down asks until everything that it has sent is
    /// flushed; without a place it is content with what has been received (WalSndDone, walsender.c). So a transaction that a program has
    /// not acknowledged yet does not hold up the shutdown. The slot stands where it stood.
    /// </param>
    public void Write(MessageWriter output, TimeProvider time, bool asksForReply, bool onlyNews = false)
    {
        var flushed = Flushed.Value;
        var tellsFlushed = !onlyNews || flushed != _toldFlushed;
        _toldFlushed = flushed;
        output.Begin(FrontendMessage.CopyData);
        output.WriteByte((byte)'r');
        output.WriteUInt64(Received.Value);
        output.WriteUInt64(tellsFlushed ? flushed : 0);
        output.WriteUInt64(Applied.Value);
        output.WriteInt64(ServerClock.FromTime(time.GetUtcNow().UtcDateTime));
        output.WriteByte(asksForReply ? (byte)1 : (byte)0);
        output.End();
    }
}
