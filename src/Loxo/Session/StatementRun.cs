using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>One statement within a <see cref="QueryExchange"/>: what was sent, and what has come of it.</summary>
internal sealed class StatementRun
{
    private uint[] _types = [];
    private int _typeCount;

    /// <summary>The prepared statement that runs or is being prepared; null for an unnamed one.</summary>
    public PreparedStatement? Statement { get; private set; }

    /// <summary>The text of an unnamed statement; else null.</summary>
    public string? Sql { get; private set; }

    /// <summary>The parameter types that an unnamed statement was parsed with.</summary>
    public ReadOnlySpan<uint> Types => _types.AsSpan(0, _typeCount);

    /// <summary>The formats that were asked for because of what a <see cref="FormatMemory"/> knew; empty for binary throughout.</summary>
    public FormatCode[] Remembered { get; private set; } = [];

    /// <summary>The caller chose the formats: a value in text is wanted as text, whatever its type.</summary>
    public bool FormatsAreChosen { get; set; }

    /// <summary>Its columns, once known; null while unknown and when it returns no rows.</summary>
    public ResultShape? Shape { get; set; }

    /// <summary>A statement of ours (the prepended BEGIN) that the caller must not see.</summary>
    public bool IsOwn { get; private set; }

    /// <summary>Only described, not executed.</summary>
    public bool IsDescription { get; private set; }

    /// <summary>Whether a Sync follows it: errors before it do not touch what comes after.</summary>
    public bool EndsGroup { get; set; }

    /// <summary>The server has run it to its end.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>The kind of statement, once complete.</summary>
    public StatementType Type { get; private set; }

    /// <summary>Rows that it returned or changed, once complete.</summary>
    public ulong Rows { get; private set; }

    /// <summary>The object id of the inserted row; 0 in every server since 12.</summary>
    public uint Oid { get; private set; }

    /// <summary>Whether <see cref="Rows"/> counts towards RecordsAffected.</summary>
    public bool ChangesRows => Type is StatementType.Insert or StatementType.Update or StatementType.Delete
        or StatementType.Merge or StatementType.Copy or StatementType.Move;

    /// <summary>An unnamed statement is sent.</summary>
    public void Reset(string sql, ReadOnlySpan<uint> types, FormatCode[] remembered)
    {
        Reset(null);
        Sql = sql;
        Remembered = remembered;
        if (_types.Length < types.Length)
            _types = new uint[types.Length];
        types.CopyTo(_types);
        _typeCount = types.Length;
    }

    public void Reset(PreparedStatement? statement, bool isOwn = false, bool isDescription = false)
    {
        Sql = null;
        Remembered = [];
        FormatsAreChosen = false;
        Statement = statement;
        Shape = statement?.Shape;
        IsOwn = isOwn;
        IsDescription = isDescription;
        EndsGroup = IsComplete = false;
        Type = StatementType.Unknown;
        Rows = 0;
        Oid = 0;
    }

    public void Complete(CommandComplete complete)
    {
        IsComplete = true;
        Type = complete.Type;
        Rows = complete.Rows;
        Oid = complete.InsertedOid;
    }

    public void CompleteEmpty()
    {
        IsComplete = true;
        Type = StatementType.Unknown;
    }
}
