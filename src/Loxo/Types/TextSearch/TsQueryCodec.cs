namespace Loxo.Types;

/// <summary>
/// tsquery: number of items, then a tree in prefix order, the right operand in front of the left one (tsquerysend, tsquery.c). A word is 1,
/// its weights, whether it is a prefix, a zero-terminated text; an operator 2, its number, and the distance of a phrase in 2 bytes.
/// </summary>
internal sealed class TsQueryCodec : ReferenceCodec<PgTsQuery>
{
    private const int LeastItem = 2;

    private const byte Word = 1;
    private const byte Operator = 2;

    private const byte Not = 1;
    private const byte And = 2;
    private const byte Or = 3;
    private const byte Phrase = 4;

    public override PgTsQuery Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, "tsquery");
        var count = scanner.TakeCount(LeastItem);
        var query = count == 0 ? PgTsQuery.Empty : ReadItem(ref scanner);
        if (query.Size != count)
            throw scanner.Malformed("its number of items is another than it says");
        scanner.End();
        return query;
    }

    public override void Write(MessageWriter writer, PgTsQuery value)
    {
        // The server sends it so, but misses an operand when it receives it (tsqueryrecv, findoprnd_recurse).
        if (value.Size == 0)
            throw TypeErrors.NoForm("The empty tsquery", "a parameter, because the server takes it as text only",
                "Write ''::tsquery in the SQL text");
        WriteTree(writer, value);
    }

    /// <summary>The bytes as the server sends them, of the empty query too.</summary>
    public static void WriteTree(MessageWriter writer, PgTsQuery value)
    {
        writer.WriteInt32(value.Size);
        if (value.Size > 0)
            WriteItem(writer, value);
    }

    // A long list of words is a tree that is deep on its left side only: that side is walked without recursion.
    private static PgTsQuery ReadItem(ref BinaryScanner scanner)
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw scanner.Malformed("it is nested too deeply");
        Stack<(byte Operation, int Distance, PgTsQuery Right)>? open = null;
        while (true)
        {
            var query = TakeOperand(ref scanner, out var operation, out var distance);
            if (query is null)
            {
                (open ??= new()).Push((operation, distance, ReadItem(ref scanner)));
                continue;
            }
            while (open is not null && open.TryPop(out var outer))
                query = Combine(outer.Operation, query, outer.Right, outer.Distance);
            return query;
        }
    }

    // A word or a negation; null for the head of an operator with two operands, which follow.
    private static PgTsQuery? TakeOperand(ref BinaryScanner scanner, out byte operation, out int distance)
    {
        operation = 0;
        distance = 0;
        var kind = scanner.TakeByte();
        if (kind == Word)
            return ReadWord(ref scanner);
        if (kind != Operator)
            throw scanner.Malformed("it has an unknown kind of item");
        operation = scanner.TakeByte();
        if (operation == Not)
            return new PgTsQueryNot(ReadItem(ref scanner));
        distance = operation == Phrase ? scanner.TakeUInt16() : 0;
        return operation is And or Or or Phrase && distance <= PgTsQueryFollowedBy.MostDistance
            ? null
            : throw scanner.Malformed("it has an unknown operator");
    }

    private static PgTsQuery Combine(byte operation, PgTsQuery left, PgTsQuery right, int distance) => operation switch
    {
        And => new PgTsQueryAnd(left, right),
        Or => new PgTsQueryOr(left, right),
        _ => new PgTsQueryFollowedBy(left, right, distance),
    };

    private static PgTsQueryLexeme ReadWord(ref BinaryScanner scanner)
    {
        var weights = scanner.TakeByte();
        var isPrefix = scanner.TakeByte() != 0;
        var text = Utf8.Read(scanner.TakeCString());
        return weights < 16 && text.Length > 0
            ? new PgTsQueryLexeme(text, (PgTsWeights)weights, isPrefix)
            : throw scanner.Malformed("a word of it is empty or has unknown weights");
    }

    private static void WriteItem(MessageWriter writer, PgTsQuery item)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        for (; item is PgTsQueryBinary binary; item = binary.Left)
        {
            writer.WriteBytes([Operator, item switch { PgTsQueryAnd => And, PgTsQueryOr => Or, _ => Phrase }]);
            if (item is PgTsQueryFollowedBy phrase)
                writer.WriteInt16((short)phrase.Distance);
            WriteItem(writer, binary.Right);
        }
        if (item is PgTsQueryNot not)
        {
            writer.WriteBytes([Operator, Not]);
            WriteItem(writer, not.Operand);
        }
        else
        {
            var word = (PgTsQueryLexeme)item;
            writer.WriteBytes([Word, (byte)word.Weights, word.IsPrefix ? (byte)1 : (byte)0]);
            Utf8.Write(writer, word.Text);
            writer.WriteByte(0);
        }
    }
}

/// <summary>tsquery: !'a' &amp; ( 'b':*A | 'c' ) &lt;2> 'd'; nothing for the empty one.</summary>
/// <param name="isToSend">Whether the bytes are for the server, which sends the empty query but takes none.</param>
internal sealed class TsQueryTextFormat(bool isToSend) : TextFormat
{
    private const string Name = "tsquery";

    private static readonly TsQueryCodec Codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var query = TsQueryParser.Parse(Utf8.Read(text)) ?? throw TypeErrors.Malformed(Name, text);
        if (isToSend)
            Codec.Write(binary, query);
        else
            TsQueryCodec.WriteTree(binary, query);
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var query = Codec.Read(binary);
        try
        {
            return query.ToString();
        }
        catch (InsufficientExecutionStackException)
        {
            throw TypeErrors.Malformed(Name, "it is nested too deeply");
        }
    }
}
