using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Loxo.Session;

/// <summary>
/// The statements that a session has run, by text and parameter types, each found in constant time. A statement is prepared with its n-th
/// use, and the least recently used one is evicted. Statements of Prepare are not counted and never evicted.
/// </summary>
/// <param name="settings">When statements are prepared.</param>
/// <param name="groups">Which Parse has been answered.</param>
/// <param name="nameSuffix">The suffix of all statement names; empty behind a pooler, where sessions share names.</param>
/// <param name="counters">Counts the evicted statements; null for no count.</param>
internal sealed class StatementCache(
    AutoPrepareSettings settings, MessageGroups groups, string nameSuffix = "", SessionCounters? counters = null)
{
    // Characters of all texts kept: 4 MiB of them.
    private const int MostCharacters = 2 * 1024 * 1024;
    private const int LongestText = MostCharacters / 16;
    private const int MostCandidates = 256;
    private const int Slots = 64;

    private readonly Dictionary<string, CachedStatement> _byText = new(StringComparer.Ordinal);
    private readonly CachedStatement?[] _recent = new CachedStatement?[Slots];
    private readonly StatementList _candidates = new();
    private readonly StatementList _prepared = new();
    private readonly List<string> _toClose = [];
    // Their Close is on its way, in this order.
    private readonly Queue<string> _closing = new();
    private int _closesTaken;
    private int _explicit;
    private long _characters;

    /// <summary>The number of prepared statements, by Prepare or by use.</summary>
    public int Count => _prepared.Count + _explicit;

    /// <summary>The names of the statements that the server knows.</summary>
    public IEnumerable<string> NamesOnServer
    {
        get
        {
            foreach (var first in _byText.Values)
            {
                for (var statement = first; statement is not null; statement = statement.Sibling)
                {
                    if (statement.IsOnServer)
                        yield return statement.Name;
                }
            }
        }
    }

    /// <summary>
    /// The statement to run by its name; null when the text is to be sent unnamed. Counts as a use.
    /// </summary>
    /// <param name="sql">The text.</param>
    /// <param name="types">Types of the parameters.</param>
    /// <param name="flight">The number of the flight that is being written.</param>
    /// <param name="atOnce">Whether it is prepared with this use, however few there were.</param>
    public CachedStatement? Use(string sql, ReadOnlySpan<uint> types, long flight, bool atOnce = false)
    {
        var statement = Find(sql, types);
        if (statement is null && (settings.Most == 0 || sql.Length > LongestText))
            return null;
        statement ??= Add(sql, types);
        if (statement.IsCandidate)
        {
            _candidates.Touch(statement);
            if ((++statement.Uses < settings.MinUsages && !atOnce) || settings.Most == 0 || !TryMakeRoom(flight))
                return null;
            Promote(statement);
            _prepared.Add(statement);
        }
        else if (!statement.IsExplicit)
        {
            _prepared.Touch(statement);
        }
        statement.Flight = flight;
        return statement;
    }

    /// <summary>The statement, if Prepare has made it.</summary>
    public CachedStatement? FindExplicit(string sql, ReadOnlySpan<uint> types) =>
        _explicit > 0 && Find(sql, types) is { IsExplicit: true } statement ? statement : null;

    /// <summary>Whether the cache has the statement.</summary>
    public bool Contains(CachedStatement statement)
    {
        for (var other = _byText.GetValueOrDefault(statement.Sql); other is not null; other = other.Sibling)
        {
            if (ReferenceEquals(other, statement))
                return true;
        }
        return false;
    }

    /// <summary>Finds or adds the statement that Prepare requests. The caller prepares it on the server.</summary>
    public CachedStatement Hold(string sql, ReadOnlySpan<uint> types)
    {
        var statement = Find(sql, types) ?? Add(sql, types);
        if (statement.IsExplicit)
            return statement;
        if (statement.IsCandidate)
            Promote(statement);
        else
            _prepared.Remove(statement);
        statement.IsExplicit = true;
        _explicit++;
        return statement;
    }

    /// <summary>Removes the statement from the cache. If the server knows it, the next flight closes it.</summary>
    public void Remove(CachedStatement statement)
    {
        if (!TryUnlink(statement))
            return;
        if (statement.IsExplicit)
            _explicit--;
        else if (statement.IsCandidate)
            _candidates.Remove(statement);
        else
            _prepared.Remove(statement);
        _characters -= statement.Sql.Length;
        // A pooler keeps the name of a statement that the server has refused.
        if (statement.IsOnServer || (nameSuffix.Length == 0 && statement.LastParse.WasSent))
            _toClose.Add(statement.Name);
        statement.IsOnServer = false;
    }

    /// <summary>
    /// The server has parsed the statement. If it has been removed from the cache meanwhile, because an earlier group could not parse it,
    /// the next flight closes it.
    /// </summary>
    public void CloseIfRemoved(CachedStatement statement)
    {
        if (Contains(statement))
            return;
        _toClose.Add(statement.Name);
        statement.IsOnServer = false;
    }

    /// <summary>The number of statements that the driver has prepared on the server and not closed.</summary>
    public int CountOnServer
    {
        get
        {
            var count = _toClose.Count;
            foreach (var first in _byText.Values)
            {
                for (var statement = first; statement is not null; statement = statement.Sibling)
                    count += statement.IsOnServer ? 1 : 0;
            }
            return count;
        }
    }

    /// <summary>The server has forgotten all of them (DEALLOCATE ALL, DISCARD ALL); how often they were used is still known.</summary>
    public void ServerForgotAll()
    {
        foreach (var first in _byText.Values)
        {
            for (var statement = first; statement is not null; statement = statement.Sibling)
                statement.IsOnServer = false;
        }
        _toClose.Clear();
        _closesTaken = 0;
    }

    /// <summary>
    /// The names of the statements evicted since the last flight, to be closed in this one. Where the flight is not the first of its group,
    /// the server may skip them.
    /// </summary>
    /// <param name="goOn">Whether earlier ones were taken for the same flight; else those were not sent, or were forgotten by
    /// <see cref="ClosesSent"/>.</param>
    public ReadOnlySpan<string> TakeCloses(bool goOn = false)
    {
        var first = goOn ? _closesTaken : 0;
        _closesTaken = _toClose.Count;
        return CollectionsMarshal.AsSpan(_toClose)[first..];
    }

    /// <summary>Close for the names of <see cref="TakeCloses"/> is on its way.</summary>
    public void ClosesSent()
    {
        for (var i = 0; i < _closesTaken; i++)
            _closing.Enqueue(_toClose[i]);
        if (_closesTaken > 0)
            _toClose.RemoveRange(0, _closesTaken);
        _closesTaken = 0;
    }

    /// <summary>CloseComplete has arrived for the first name whose Close is on its way.</summary>
    public void CloseAnswered() => _closing.TryDequeue(out _);

    /// <summary>The server has skipped the Close of that many names, the first ones on their way: the names are still taken.</summary>
    public void ClosesSkipped(int count)
    {
        while (count-- > 0 && _closing.TryDequeue(out var name))
        {
            // With the next Parse of the name goes a Close.
            if (FindByName(name) is { } statement)
                statement.IsOnServer = true;
            else
                _toClose.Add(name);
        }
    }

    /// <summary>Whether a Close of the name is on its way, which the server may skip.</summary>
    public bool IsClosing(string name) => _closing.Count > 0 && _closing.Contains(name);

    private CachedStatement? Find(string sql, ReadOnlySpan<uint> types)
    {
        // Most texts are literals, or come from the cache of lexed texts: the same string instance each time.
        ref var slot = ref _recent[RuntimeHelpers.GetHashCode(sql) & (Slots - 1)];
        if (slot is { } recent && ReferenceEquals(recent.Sql, sql) && types.SequenceEqual(recent.ParameterTypes))
            return recent;
        var statement = _byText.GetValueOrDefault(sql);
        while (statement is not null && !types.SequenceEqual(statement.ParameterTypes))
            statement = statement.Sibling;
        return ReferenceEquals(statement?.Sql, sql) ? slot = statement : statement;
    }

    private CachedStatement? FindByName(string name)
    {
        foreach (var first in _byText.Values)
        {
            for (var statement = first; statement is not null; statement = statement.Sibling)
            {
                if (!statement.IsCandidate && statement.Name == name)
                    return statement;
            }
        }
        return null;
    }

    private CachedStatement Add(string sql, ReadOnlySpan<uint> types)
    {
        var statement = new CachedStatement(sql, types.ToArray(), nameSuffix);
        statement.Sibling = _byText.GetValueOrDefault(sql);
        _byText[sql] = statement;
        _candidates.Add(statement);
        _characters += sql.Length;
        while (_candidates.Count > MostCandidates || (_characters > MostCharacters && _candidates.Count > 1))
            Remove(_candidates.Oldest!);
        return statement;
    }

    private bool TryMakeRoom(long flight)
    {
        while (_prepared.Count >= settings.Most || (_characters > MostCharacters && _prepared.Count > 0))
        {
            // Statements of the current flight stay, as do those whose Parse is on its way: their names are not free before it is answered.
            if (_prepared.Oldest is not { } oldest || oldest.Flight == flight || groups.IsDue(oldest.LastParse.Group))
                return false;
            Remove(oldest);
            if (counters is not null)
                counters.Evicted++;
        }
        return true;
    }

    private void Promote(CachedStatement statement)
    {
        _candidates.Remove(statement);
        statement.IsCandidate = false;
        // A statement of the same name was evicted in this flight, and its Close has not been sent.
        if (_toClose.IndexOf(statement.Name, _closesTaken) is >= 0 and var pending)
        {
            _toClose.RemoveAt(pending);
            statement.IsOnServer = true;
        }
    }

    private bool TryUnlink(CachedStatement statement)
    {
        if (!_byText.TryGetValue(statement.Sql, out var first))
            return false;
        if (ReferenceEquals(first, statement))
        {
            if (statement.Sibling is { } next)
                _byText[statement.Sql] = next;
            else
                _byText.Remove(statement.Sql);
        }
        else
        {
            while (first.Sibling is { } sibling && !ReferenceEquals(sibling, statement))
                first = sibling;
            if (first.Sibling is null)
                return false;
            first.Sibling = statement.Sibling;
        }
        ref var slot = ref _recent[RuntimeHelpers.GetHashCode(statement.Sql) & (Slots - 1)];
        if (ReferenceEquals(slot, statement))
            slot = null;
        statement.Sibling = null;
        return true;
    }
}
