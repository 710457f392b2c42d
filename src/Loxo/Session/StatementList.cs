namespace Loxo.Session;

/// <summary>Statements in the order of their use; every operation takes the same small time whatever their number.</summary>
internal sealed class StatementList
{
    private CachedStatement? _newest;

    public int Count { get; private set; }

    public CachedStatement? Oldest { get; private set; }

    public void Add(CachedStatement statement)
    {
        statement.Older = _newest;
        statement.Newer = null;
        if (_newest is not null)
            _newest.Newer = statement;
        _newest = statement;
        Oldest ??= statement;
        Count++;
    }

    public void Remove(CachedStatement statement)
    {
        if (statement.Newer is { } newer)
            newer.Older = statement.Older;
        else
            _newest = statement.Older;
        if (statement.Older is { } older)
            older.Newer = statement.Newer;
        else
            Oldest = statement.Newer;
        statement.Newer = statement.Older = null;
        Count--;
    }

    public void Touch(CachedStatement statement)
    {
        if (ReferenceEquals(_newest, statement))
            return;
        Remove(statement);
        Add(statement);
    }
}
