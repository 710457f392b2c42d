using System.Buffers.Binary;
using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>How much of a column must have arrived.</summary>
internal enum Reach : byte
{
    /// <summary>Its length.</summary>
    Start,

    /// <summary>A byte that has not been taken, if there is one.</summary>
    More,

    /// <summary>All of it; none of it may have been taken.</summary>
    All,
}

/// <summary>
/// A row that is longer than what is buffered, read column after column while it arrives. It is the only thing that takes bytes of a
/// message which is not there yet.
/// B: what is left of D
/// </summary>
/// <remarks>Nothing else comes before the row's end: the server does not interrupt a message, not even for an error.</remarks>
internal sealed class PartialRow(ServerSession session)
{
    private readonly MessageReader _messages = session.Wire.Input;
    private int _columns;
    private int _goal;
    private Reach _reach;

    /// <summary>The column that it has come to; -1 before the first.</summary>
    public int Ordinal { get; private set; }

    /// <summary>Its length in bytes, negative for NULL.</summary>
    public int Length { get; private set; }

    /// <summary>How many of them have not been taken.</summary>
    public int Left { get; private set; }

    /// <summary>Goes to the row that comes next in the buffer.</summary>
    public void Enter(int columns)
    {
        _messages.EnterRow();
        _columns = columns;
        Ordinal = -1;
        Length = Left = 0;
        IsWaiting = false;
        if (BinaryPrimitives.ReadUInt16BigEndian(_messages.OfRow) != columns)
            throw session.Failed(ProtocolErrors.Truncated());
        _messages.TakeOfRow(sizeof(short));
    }

    /// <summary>Whether more of the column that was asked for has to arrive.</summary>
    public bool IsWaiting { get; private set; }

    /// <summary>Goes to a column. False when more has to arrive first: pump the command then.</summary>
    /// <exception cref="InvalidOperationException">The column, or what is wanted of it, has been passed.</exception>
    public bool TryReach(int ordinal, Reach reach)
    {
        if (ordinal < Ordinal)
            throw SessionErrors.ColumnPassed(ordinal, Ordinal);
        if (reach == Reach.All && ordinal == Ordinal && Left != Math.Max(Length, 0))
            throw SessionErrors.ColumnTakenInPart(ordinal);
        (_goal, _reach) = (ordinal, reach);
        return TryAdvance();
    }

    /// <summary>The bytes of the column that have arrived and were not taken.</summary>
    public ReadOnlySpan<byte> Arrived => _messages.OfRow[..Math.Min(Left, _messages.OfRow.Length)];

    /// <summary>Takes bytes of <see cref="Arrived"/>.</summary>
    public void Take(int count)
    {
        _messages.TakeOfRow(count);
        Left -= count;
    }

    /// <summary>Goes on to the column that was asked for; true once enough of it has arrived.</summary>
    public bool TryAdvance()
    {
        IsWaiting = true;
        while (Ordinal < _goal)
        {
            Take(Arrived.Length);
            if (Left > 0 || !TryStartColumn())
                return false;
        }
        var enough = _reach switch
        {
            Reach.Start => 0,
            Reach.More => Math.Min(1, Left),
            _ => Left,
        };
        IsWaiting = Arrived.Length < enough;
        return !IsWaiting;
    }

    private bool TryStartColumn()
    {
        var row = _messages.OfRow;
        if (Ordinal + 1 >= _columns || _messages.RowLeft < sizeof(int))
            throw session.Failed(ProtocolErrors.Truncated());
        if (row.Length < sizeof(int))
            return false;
        var length = BinaryPrimitives.ReadInt32BigEndian(row);
        _messages.TakeOfRow(sizeof(int));
        // -1 is NULL; anything below is no length.
        if (length > _messages.RowLeft || length < -1)
            throw session.Failed(ProtocolErrors.Truncated());
        Ordinal++;
        Length = length;
        Left = Math.Max(length, 0);
        return true;
    }
}
