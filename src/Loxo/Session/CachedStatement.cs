using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// A statement that a session has run: first a candidate whose uses are counted, then prepared, in the flight of its next use or by
/// Prepare.
/// </summary>
internal sealed class CachedStatement(string sql, uint[] parameterTypes, string nameSuffix)
{
    private string? _name;

    /// <summary>Its name on the server.</summary>
    public string Name => _name ??= StatementName.Of(Sql, ParameterTypes) + nameSuffix;

    /// <summary>Its text, with <c>$n</c> placeholders.</summary>
    public string Sql { get; } = sql;

    /// <summary>Type OIDs of the parameters as given to Parse; 0 where the server chooses.</summary>
    public uint[] ParameterTypes { get; } = parameterTypes;

    /// <summary>Whether its uses are still being counted.</summary>
    public bool IsCandidate { get; set; } = true;

    /// <summary>The number of its uses as a candidate.</summary>
    public int Uses { get; set; }

    /// <summary>Prepared by Prepare: it stays until the last of its <see cref="Holders"/> is unprepared.</summary>
    public bool IsExplicit { get; set; }

    /// <summary>The number of prepared command statements that share it and have not been unprepared.</summary>
    public int Holders { get; set; }

    /// <summary>The server has parsed it and has not been told to forget it.</summary>
    public bool IsOnServer { get; set; }

    /// <summary>Its columns, or that it has none, are known from this session's server.</summary>
    public bool IsDescribed { get; private set; }

    /// <summary>The <see cref="SessionTypes.Stamp"/> of the types that were known then.</summary>
    public object? DescribedBy { get; private set; }

    /// <summary>Its Parse that was written last.</summary>
    public StatementParse LastParse { get; set; } = StatementParse.None;

    /// <summary>Why the server could not parse it; null if it could.</summary>
    public ServerErrorFields? Refusal { get; set; }

    /// <summary>
    /// Its text is sent each time: a pooler, which keeps the statement that it has prepared for a text, gives back one that is out of date.
    /// </summary>
    public bool SendsText { get; set; }

    /// <summary>The flight that used it last: a statement of the current flight is not evicted.</summary>
    public long Flight { get; set; } = -1;

    /// <summary>Its columns; null when it returns no rows, or that is not known.</summary>
    public ResultShape? Shape { get; private set; }

    /// <summary>The formats to request; empty for binary in all columns.</summary>
    public FormatCode[] Formats => Shape?.Formats ?? [];

    /// <summary>The next statement of the same text with other parameter types.</summary>
    public CachedStatement? Sibling { get; set; }

    /// <summary>Neighbours in the order of use.</summary>
    public CachedStatement? Newer { get; set; }

    /// <inheritdoc cref="Newer"/>
    public CachedStatement? Older { get; set; }

    /// <summary>Stores its columns as the server described them; null for a statement without rows.</summary>
    public void Describe(ResultShape? shape, object stamp)
    {
        Shape = shape;
        DescribedBy = stamp;
        IsDescribed = true;
    }

    /// <summary>The server has parsed it; its columns have to be described again.</summary>
    /// <param name="epoch">The epoch of that Parse; a later one may be on its way.</param>
    /// <param name="group">Its group of messages.</param>
    public void Parsed(long epoch, long group = long.MaxValue)
    {
        IsOnServer = true;
        Refusal = null;
        if (epoch >= LastParse.Epoch && group >= LastParse.Group)
            LastParse = LastParse with { Epoch = epoch, IsAnswered = true };
        IsDescribed = false;
        Shape = null;
    }

    /// <summary>
    /// Whether a statement with parameters of the types <paramref name="own"/> takes these types. Where <paramref name="nullsMatch"/>, 0
    /// stands for a NULL, which fits any type.
    /// </summary>
    public static bool Fits(uint[] own, ReadOnlySpan<uint> types, bool nullsMatch)
    {
        if (own.Length != types.Length)
            return false;
        for (var i = 0; i < own.Length; i++)
        {
            if (own[i] != types[i] && !(nullsMatch && types[i] == 0))
                return false;
        }
        return true;
    }
}
