namespace Loxo.Sql;

/// <summary>What PostgreSQL's scanner (scan.l) would take a piece of text for; <see cref="Placeholder"/> is ours.</summary>
internal enum SqlTokenKind : byte
{
    /// <summary>No token: the end of the text.</summary>
    None,
    Word,
    /// <summary><c>"..."</c> or <c>U&amp;"..."</c>.</summary>
    QuotedIdentifier,
    /// <summary><c>'...'</c> with any prefix and all its continuations, or <c>$tag$...$tag$</c>.</summary>
    String,
    /// <summary>A numeric literal with whatever letters cling to it.</summary>
    Number,
    /// <summary><c>$1</c>.</summary>
    Parameter,
    /// <summary><c>@name</c> or <c>:name</c>.</summary>
    Placeholder,
    /// <summary>Operator characters, <c>::</c> or <c>:=</c>.</summary>
    Operator,
    /// <summary>One of <c>( ) [ ] , ; . :</c>, or <c>..</c>.</summary>
    Punctuation,
    /// <summary>A character that SQL has no use for; the server will refuse it.</summary>
    Unknown,
}

internal readonly record struct SqlToken(SqlTokenKind Kind, int Start, int Length)
{
    public int End => Start + Length;
}
