using System.Text;
using System.Transactions;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>
/// A small program of nested scopes at random; the same seed gives the same one. It knows which rows it has to leave: those that were inserted in
/// transactions that nothing has given up, and those outside of any.
/// </summary>
internal sealed class ScopeProgram
{
    /// <summary>A connection lives in the scope that opened it: so many at the same time.</summary>
    private const int MostConnections = 3;

    private readonly Random _random;
    private readonly bool _mayBreak;
    private int _nextId;

    private ScopeProgram(int seed, bool mayBreak)
    {
        (_random, _mayBreak) = (new Random(seed), mayBreak);
        var outside = new Fate { IsOutside = true };
        ClosesLate = _random.Next(2) == 0;
        Root = MakeScope(TransactionScopeOption.Suppress, outside, depth: 0);
    }

    private enum Kind
    {
        Open,
        Close,
        Insert,
        Fail,
        Kill,
        Collide,
    }

    public Scope Root { get; }

    /// <summary>Whether connections that are left open are closed after their scope has ended, and not before.</summary>
    public bool ClosesLate { get; }

    /// <summary>The rows that are there at the end.</summary>
    public int[] Expected => [.. Root.All().Where(static insert => !insert.Fate.IsLost && !insert.IsRefused).Select(static insert => insert.Id).Order()];

    public static ScopeProgram Make(int seed, bool mayBreak) => new(seed, mayBreak);

    public override string ToString() => (ClosesLate ? "closes late\n" : "") + Root.Write(new StringBuilder(), "").ToString();

    private Scope MakeScope(TransactionScopeOption option, Fate parent, int depth)
    {
        var fate = option == TransactionScopeOption.Suppress ? new Fate { IsOutside = true }
            : option == TransactionScopeOption.Required && !parent.IsOutside ? parent : new Fate();
        var scope = new Scope(option, fate);
        var connections = 0;
        for (var count = _random.Next(1, depth == 0 ? 9 : 7); count > 0; count--)
        {
            if (depth < 3 && _random.Next(3) == 0)
            {
                // .NET refuses a scope of a transaction that has been rolled back.
                var inner = (TransactionScopeOption)_random.Next(fate.IsLost ? 1 : 0, 3);
                scope.Steps.Add(MakeScope(inner, fate, depth + 1));
                continue;
            }
            var kind = connections == 0 ? Kind.Open : Choose(connections);
            // A statement behind a lost transaction is refused, which the program expects.
            if (kind == Kind.Open && fate.IsLost)
                continue;
            AddStep(scope, kind, ref connections);
        }
        scope.Completes = _random.Next(5) > 0;
        if (!scope.Completes && !fate.IsOutside)
            fate.IsLost = true;
        return scope;
    }

    private Kind Choose(int connections) => _random.Next(24) switch
    {
        < 5 when connections < MostConnections => Kind.Open,
        < 9 => Kind.Close,
        < 22 => Kind.Insert,
        22 when _mayBreak => _random.Next(2) == 0 ? Kind.Kill : Kind.Fail,
        _ => Kind.Collide,
    };

    private void AddStep(Scope scope, Kind kind, ref int connections)
    {
        var fate = scope.Fate;
        switch (kind)
        {
            case Kind.Open:
                connections++;
                scope.Steps.Add(new Step("open"));
                break;
            case Kind.Close:
                connections--;
                scope.Steps.Add(new Step("close", _random.Next(connections + 1)));
                break;
            case Kind.Insert:
                scope.Steps.Add(new Insert(_random.Next(connections), ++_nextId, fate, fate.IsLost));
                break;
            case Kind.Fail when !fate.IsLost && !fate.IsOutside:
                fate.IsLost = true;
                scope.Steps.Add(new Step("fail", _random.Next(connections)));
                break;
            case Kind.Kill when !fate.IsLost && !fate.IsOutside:
                fate.IsLost = true;
                scope.Steps.Add(new Step("kill", _random.Next(connections)));
                break;
            // Two rows with the same key, which the server finds at the commit.
            case Kind.Collide when !fate.IsLost && !fate.IsOutside:
                fate.IsLost = true;
                scope.Steps.Add(new Step("collide", _random.Next(connections), ++_nextId));
                break;
        }
    }

    /// <summary>What becomes of a transaction.</summary>
    internal sealed class Fate
    {
        public bool IsLost { get; set; }

        public bool IsOutside { get; set; }
    }

    internal record Step(string Verb, int Connection = 0, int Id = 0);

    /// <param name="Connection">Which one.</param>
    /// <param name="Id">The row.</param>
    /// <param name="Fate">That of its transaction.</param>
    /// <param name="IsRefused">Whether the transaction was lost before.</param>
    internal sealed record Insert(int Connection, int Id, Fate Fate, bool IsRefused) : Step("insert", Connection, Id);

    internal sealed record Scope(TransactionScopeOption Option, Fate Fate) : Step("scope")
    {
        public List<Step> Steps { get; } = [];

        public bool Completes { get; set; }

        public IEnumerable<Insert> All() => Steps.SelectMany(static step => step switch
        {
            Scope inner => inner.All(),
            Insert insert => [insert],
            _ => [],
        });

        public StringBuilder Write(StringBuilder text, string indent)
        {
            text.Append(indent).Append(Option).Append(Completes ? " completes" : " gives up").Append(Fate.IsLost ? " (lost)" : "").AppendLine();
            foreach (var step in Steps)
            {
                if (step is Scope inner)
                    inner.Write(text, indent + "  ");
                else
                    text.Append(indent).Append("  ").Append(step.Verb).Append(' ').Append(step.Connection)
                        .Append(step is Insert insert ? $": {insert.Id}{(insert.IsRefused ? " refused" : "")}" : "").AppendLine();
            }
            return text;
        }
    }
}
