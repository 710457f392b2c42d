using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>One statement within a <see cref="QueryExchange"/>: its requests and its result.</summary>
internal sealed class StatementRun
{
    private uint[] _types = [];
    private int _typeCount;
    private ulong _rowsBefore;
    // What it has told Statement of the columns.
    private ResultShape? _described;

    /// <summary>The prepared statement that runs or is being prepared; null for an unnamed one.</summary>
    public CachedStatement? Statement { get; private set; }

    /// <summary>The text; null for a statement whose columns were known beforehand, and for a prepended BEGIN.</summary>
    public string? Sql { get; private set; }

    /// <summary>The Parse of <see cref="Statement"/> that goes with it and has not been answered; null for none.</summary>
    public DueParse? Parse { get; set; }

    /// <summary>Whether the server has parsed <see cref="Statement"/> for it.</summary>
    public bool WasParsed { get; set; }

    /// <summary>Its formats were chosen by us, so that what the server says of its columns holds for the next run too.</summary>
    public bool DescribesStatement { get; set; }

    /// <summary>The parameter types that go with <see cref="Sql"/>.</summary>
    public ReadOnlySpan<uint> Types => _types.AsSpan(0, _typeCount);

    /// <summary>The requested formats, from the <see cref="FormatMemory"/>; empty for binary in all columns.</summary>
    public FormatCode[] Remembered { get; private set; } = [];

    /// <summary>The caller chose the formats: a value in text format is read as a string, whatever its type.</summary>
    public bool FormatsAreChosen { get; set; }

    /// <summary>Its columns, once known; null while unknown and when it returns no rows.</summary>
    public ResultShape? Shape { get; set; }

    /// <summary>Types of its columns are unknown, and its flight cannot be kept during a lookup: another session has to look.</summary>
    public bool MustLookUpElsewhere { get; set; }

    /// <summary>Whether a row was so long that it is better read in pieces.</summary>
    public bool HasLongRows { get; set; }

    /// <summary>A statement of ours (a prepended BEGIN or trace context) that the caller must not see.</summary>
    public bool IsOwn { get; set; }

    /// <summary>Only described, not executed.</summary>
    public bool IsDescription { get; private set; }

    /// <summary>Whether a Sync follows it: errors before it do not touch what comes after.</summary>
    public bool EndsGroup { get; set; }

    /// <summary>The server has run it to its end.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>The kind of statement, once complete.</summary>
    public StatementType Type { get; private set; }

    /// <summary>It was a ROLLBACK, or a COMMIT of a transaction that had failed.</summary>
    public bool HasRolledBack { get; private set; }

    /// <summary>Rows that it returned or changed, once complete.</summary>
    public ulong Rows { get; private set; }

    /// <summary>The object id of the inserted row; 0 in every server since 12.</summary>
    public uint Oid { get; private set; }

    /// <summary>Whether <see cref="Rows"/> counts towards RecordsAffected.</summary>
    public bool ChangesRows => IsChange(Type);

    /// <summary>Whether the rows of such a statement count towards RecordsAffected.</summary>
    public static bool IsChange(StatementType type) => type is StatementType.Insert or StatementType.Update or StatementType.Delete
        or StatementType.Merge or StatementType.Copy or StatementType.Move;

    /// <summary>The text of the first statement that is the caller's. Other threads may ask while the next command is written.</summary>
    public static string? FirstText(StatementRun[] runs)
    {
        foreach (var run in runs)
        {
            if (run is { IsOwn: false } && (run.Sql ?? run.Statement?.Sql) is { } text)
                return text;
        }
        return null;
    }

    /// <summary>The text of one of the caller's statements, or of the first if there are fewer; null for none.</summary>
    public static string? TextOf(ReadOnlySpan<StatementRun> runs, int statement)
    {
        string? first = null;
        foreach (var run in runs)
        {
            if (run.IsOwn)
                continue;
            var text = run.Sql ?? run.Statement?.Sql;
            if (statement-- <= 0)
                return text;
            first ??= text;
        }
        return first;
    }

    /// <summary>Whether one of them has columns whose types another session has to look up.</summary>
    public static bool MustLookUp(ReadOnlySpan<StatementRun> runs)
    {
        foreach (var run in runs)
        {
            if (run.MustLookUpElsewhere)
                return true;
        }
        return false;
    }

    /// <summary>Rows returned by all queries among them; -1 when there was none.</summary>
    public static long RowsReturned(ReadOnlySpan<StatementRun> runs)
    {
        var rows = -1L;
        foreach (var run in runs)
        {
            if (run is { IsComplete: true, Type: StatementType.Select })
                rows = Math.Max(0, rows) + (long)run.Rows;
        }
        return rows;
    }

    /// <summary>Rows changed by all of them; -1 when none was of a kind that changes rows.</summary>
    public static long RowsAffected(ReadOnlySpan<StatementRun> runs)
    {
        var rows = -1L;
        foreach (var run in runs)
        {
            if (run is { IsComplete: true, ChangesRows: true })
                rows = Math.Max(0, rows) + (long)run.Rows;
        }
        return rows;
    }

    /// <summary>A statement of ours is sent.</summary>
    public void ResetOwn()
    {
        Reset(null);
        IsOwn = true;
    }

    /// <summary>A statement is described, not run.</summary>
    public void ResetDescription(CachedStatement? statement)
    {
        Reset(statement);
        IsDescription = true;
        DescribesStatement = statement is not null;
    }

    /// <summary>A statement is run whose columns the server will describe.</summary>
    public void Reset(CachedStatement? statement, string sql, ReadOnlySpan<uint> types, FormatCode[] remembered)
    {
        Reset(statement);
        Shape = null;
        Sql = sql;
        Remembered = remembered;
        if (_types.Length < types.Length)
            _types = new uint[types.Length];
        types.CopyTo(_types);
        _typeCount = types.Length;
    }

    /// <summary>A statement is run whose columns are known.</summary>
    public void Reset(CachedStatement? statement)
    {
        Statement = statement;
        Shape = statement?.Shape;
        Sql = null;
        Remembered = [];
        Parse = null;
        DescribesStatement = FormatsAreChosen = WasParsed = MustLookUpElsewhere = HasLongRows = false;
        IsOwn = IsDescription = EndsGroup = IsComplete = HasRolledBack = false;
        Type = StatementType.Unknown;
        Rows = _rowsBefore = 0;
        Oid = 0;
    }

    /// <summary>
    /// Takes its columns with types that have been looked up since the server described them, and updates what is cached for the next run.
    /// </summary>
    public void UpdateCaches(ResultShape shape, FormatMemory memory, object stamp)
    {
        var former = Shape;
        Shape = shape;
        // A later run may have described it anew.
        if (DescribesStatement && ReferenceEquals(Statement!.Shape, _described))
            Describe(shape.IsInPreferredFormats ? shape : shape.InPreferredFormats(), stamp);
        if (Sql is { } sql && !FormatsAreChosen && memory.Find(sql, Types).AsSpan().SequenceEqual(former!.Formats))
            memory.Keep(sql, Types, shape.Formats);
    }

    /// <summary>Tells <see cref="Statement"/> of the columns; null for none.</summary>
    public void Describe(ResultShape? shape, object stamp)
    {
        _described = shape;
        Statement!.Describe(shape, stamp);
    }

    /// <summary>Another session has looked the types of its columns up, or has failed to.</summary>
    public void LookedUpElsewhere(ServerSession session)
    {
        MustLookUpElsewhere = false;
        UpdateCaches(Shape!.With(session.Types.Known), session.Context.Database.Formats, session.Types.Stamp);
    }

    /// <summary>The server has run it to its end.</summary>
    public void Complete(CommandComplete complete, ServerSession session)
    {
        IsComplete = true;
        Type = complete.Type;
        HasRolledBack = Type == StatementType.Other && complete.Tag.SequenceEqual("ROLLBACK"u8);
        Rows = complete.Rows + _rowsBefore;
        Oid = complete.InsertedOid;
        if (Type == StatementType.Other)
            session.Completed(complete.Tag);
    }

    /// <summary>The server has returned a portion of the rows: CommandComplete will count only those of the last portion.</summary>
    public void Suspend(int rows) => _rowsBefore += (ulong)rows;

    /// <summary>The portal of a query is closed before its last row.</summary>
    public void CompleteEarly()
    {
        IsComplete = true;
        Type = StatementType.Select;
        Rows = _rowsBefore;
    }

    /// <summary>It has run, but the server has undone it: something that ran in the same implicit transaction has failed.</summary>
    public void Undo() => IsComplete = false;

    public void CompleteEmpty()
    {
        IsComplete = true;
        Type = StatementType.Unknown;
    }
}
