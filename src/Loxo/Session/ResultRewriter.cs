using System.Buffers;
using System.Buffers.Binary;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Rewrites results that were taken out of the input buffer. <see cref="UnknownTypes"/> lists the types to look up. Values without a binary
/// codec are replaced by their text: <see cref="Collect"/> lists them, <see cref="Rewrite"/> makes the messages that the server would have
/// sent.
/// </summary>
/// <param name="messages">Whole messages, beginning with the rows of a result.</param>
/// <param name="session">Knows the types.</param>
internal sealed class ResultRewriter(byte[] messages, SessionTypes session)
{
    private readonly Dictionary<BinaryValue, int> _values = [];

    /// <summary>The unchanged messages.</summary>
    public ReadOnlySpan<byte> Original => messages;

    /// <summary>The unknown types of columns and of the fields of records.</summary>
    /// <param name="first">The columns of the first result.</param>
    public IReadOnlyCollection<uint> UnknownTypes(ResultShape first)
    {
        var finder = new UnknownFinder(session.Known);
        finder.Add(first);
        Walk(finder, first);
        return finder.Found;
    }

    /// <summary>
    /// The distinct values to convert, each with its type's OID, in the order in which <see cref="Rewrite"/> wants the texts.
    /// </summary>
    /// <param name="shape">The columns of the first result.</param>
    public IReadOnlyCollection<BinaryValue> Collect(ResultShape shape)
    {
        Walk(new Collector(this), shape);
        return _values.Keys;
    }

    /// <summary>The messages with the texts in place of the values.</summary>
    /// <param name="shape">The columns of the first result.</param>
    /// <param name="texts">In the order of <see cref="Collect"/>.</param>
    public ReadOnlyMemory<byte> Rewrite(ResultShape shape, IReadOnlyList<byte[]> texts)
    {
        var output = new ArrayBufferWriter<byte>(messages.Length + messages.Length / 2);
        Walk(new Output(this, output, texts), shape);
        return output.WrittenMemory;
    }

    private void Walk(Visitor visitor, ResultShape shape)
    {
        var oids = visitor.OidsOf(shape);
        for (var at = 0; at < messages.Length;)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(messages.AsSpan(at + 1)) + 1;
            var message = messages.AsMemory(at, length);
            at += length;
            switch ((BackendMessageType)message.Span[0])
            {
                case BackendMessageType.DataRow when oids is not null:
                    visitor.Row(message, oids);
                    continue;
                case BackendMessageType.RowDescription:
                    var description = new RowDescription(message.Span[BackendMessage.HeaderSize..]);
                    shape = ResultShape.Read(description, session.Known, ofStatement: false);
                    oids = visitor.OidsOf(shape);
                    visitor.Description(message, oids);
                    continue;
                case BackendMessageType.CommandComplete or BackendMessageType.ErrorResponse or BackendMessageType.ReadyForQuery
                    or BackendMessageType.PortalSuspended or BackendMessageType.EmptyQueryResponse:
                    oids = null;
                    break;
            }
            visitor.Other(message);
        }
    }

    private abstract class Visitor
    {
        // By column: the type of values to look at, 0 to leave them alone; null when there are none.
        public virtual uint[]? OidsOf(ResultShape shape)
        {
            if (!shape.NeedsConversion)
                return null;
            var oids = new uint[shape.Count];
            for (var i = 0; i < oids.Length; i++)
                oids[i] = shape[i].IsConvertible ? shape[i].Description.TypeOid : 0;
            return oids;
        }

        public abstract void Row(ReadOnlyMemory<byte> message, uint[] oids);

        public virtual void Description(ReadOnlyMemory<byte> message, uint[]? oids)
        {
        }

        public virtual void Other(ReadOnlyMemory<byte> message)
        {
        }

        // Calls Value for each column: its bytes with the length in front, and its type if it is to be converted.
        protected void ForEachValue(ReadOnlyMemory<byte> row, uint[] oids)
        {
            var body = row[BackendMessage.HeaderSize..];
            var columns = new DataRow(body.Span);
            var at = columns.Position;
            for (var i = 0; i < oids.Length && columns.TryReadNext(out var column); i++, at = columns.Position)
                Value(body[at..columns.Position], column.IsNull ? 0 : oids[i]);
        }

        protected abstract void Value(ReadOnlyMemory<byte> value, uint oid);
    }

    private sealed class UnknownFinder(DatabaseTypes types) : Visitor
    {
        private readonly HashSet<uint> _found = [];

        public IReadOnlyCollection<uint> Found => _found;

        public void Add(ResultShape shape) => _found.UnionWith(shape.UnknownTypes);

        public override uint[]? OidsOf(ResultShape shape)
        {
            Add(shape);
            if (!shape.Columns.ToArray().Any(IsRecord))
                return null;
            var oids = new uint[shape.Count];
            for (var i = 0; i < oids.Length; i++)
                oids[i] = IsRecord(shape[i]) ? shape[i].Description.TypeOid : 0;
            return oids;
        }

        public override void Row(ReadOnlyMemory<byte> message, uint[] oids) => ForEachValue(message, oids);

        protected override void Value(ReadOnlyMemory<byte> value, uint oid)
        {
            if (oid != 0)
                RecordTypes.AddUnknown(value.Span[sizeof(int)..], oid, types, _found);
        }

        private static bool IsRecord(ResultColumn column) => column is { Type.IsRecord: true, Format: FormatCode.Binary };
    }

    private sealed class Collector(ResultRewriter owner) : Visitor
    {
        public override void Row(ReadOnlyMemory<byte> message, uint[] oids) => ForEachValue(message, oids);

        protected override void Value(ReadOnlyMemory<byte> value, uint oid)
        {
            if (oid != 0)
                owner._values.TryAdd(new BinaryValue(oid, value[sizeof(int)..]), owner._values.Count);
        }
    }

    private sealed class Output(ResultRewriter owner, ArrayBufferWriter<byte> output, IReadOnlyList<byte[]> texts) : Visitor
    {
        private readonly ArrayBufferWriter<byte> _row = new();

        public override void Other(ReadOnlyMemory<byte> message) => output.Write(message.Span);

        public override void Row(ReadOnlyMemory<byte> message, uint[] oids)
        {
            _row.ResetWrittenCount();
            _row.Write(message.Span[..(BackendMessage.HeaderSize + DataRow.HeaderSize)]);
            ForEachValue(message, oids);
            var start = output.GetSpan(_row.WrittenCount);
            _row.WrittenSpan.CopyTo(start);
            BinaryPrimitives.WriteInt32BigEndian(start[1..], _row.WrittenCount - 1);
            output.Advance(_row.WrittenCount);
        }

        // The format is the last field of each column.
        public override void Description(ReadOnlyMemory<byte> message, uint[]? oids)
        {
            var copy = output.GetSpan(message.Length)[..message.Length];
            message.Span.CopyTo(copy);
            output.Advance(message.Length);
            var rest = copy[(BackendMessage.HeaderSize + sizeof(short))..];
            foreach (var oid in oids ?? [])
            {
                var end = rest.IndexOf((byte)0) + 1 + FixedFieldsOfColumn;
                if (oid != 0)
                    BinaryPrimitives.WriteInt16BigEndian(rest[(end - sizeof(short))..], (short)FormatCode.Text);
                rest = rest[end..];
            }
        }

        protected override void Value(ReadOnlyMemory<byte> value, uint oid)
        {
            if (oid == 0)
            {
                _row.Write(value.Span);
                return;
            }
            var text = texts[owner._values[new BinaryValue(oid, value[sizeof(int)..])]];
            BinaryPrimitives.WriteInt32BigEndian(_row.GetSpan(sizeof(int)), text.Length);
            _row.Advance(sizeof(int));
            _row.Write(text);
        }

        // Table, attribute number, type, size, modifier, format (manual, RowDescription).
        private const int FixedFieldsOfColumn = 4 + 2 + 4 + 2 + 4 + 2;
    }
}

/// <summary>A value in binary format, equal to another of the same type and bytes.</summary>
internal readonly struct BinaryValue(uint typeOid, ReadOnlyMemory<byte> bytes) : IEquatable<BinaryValue>
{
    public uint TypeOid { get; } = typeOid;

    public ReadOnlyMemory<byte> Bytes { get; } = bytes;

    public bool Equals(BinaryValue other) => TypeOid == other.TypeOid && Bytes.Span.SequenceEqual(other.Bytes.Span);

    public override bool Equals(object? obj) => obj is BinaryValue other && Equals(other);

    public override int GetHashCode()
    {
        var hash = default(HashCode);
        hash.Add(TypeOid);
        hash.AddBytes(Bytes.Span);
        return hash.ToHashCode();
    }
}
