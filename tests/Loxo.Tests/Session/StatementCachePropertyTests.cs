using FsCheck;
using FsCheck.Fluent;
using Loxo.Session;

namespace Loxo.Tests.Session;

/// <summary>The cache against its model and a server that keeps its own list of names, over random flights.</summary>
[Category("Slow")]
public class StatementCachePropertyTests
{
    private static readonly string[] Texts = ["SELECT a", "SELECT b", "SELECT c", "SELECT d", "SELECT e"];

    private static readonly uint[][] Types = [[], [23], [25], [0], [23, 25], [0, 25], [0, 0]];

    private static readonly Arbitrary<int[]> Steps = Gen.Choose(0, int.MaxValue).ArrayOf().ToArbitrary();

    [Test]
    public void It_chooses_as_its_model_does_and_knows_what_the_server_knows([Values(0, 1, 2, 4)] int most, [Values(1, 2, 3)] int minUsages) =>
        Prop.ForAll(Steps, steps => new Flow(most, minUsages).Run(steps)).Check(Config.QuickThrowOnFailure.WithMaxTest(300).WithEndSize(200));

    private sealed class Flow(int most, int minUsages)
    {
        private readonly StatementCache _cache = new(new AutoPrepareSettings(most, minUsages), new MessageGroups());
        private readonly StatementCacheModel _model = new(most, minUsages);

        // Names on the server; those that will be when the flight has arrived; statements whose Parse the flight has.
        private HashSet<string> _server = [];
        private HashSet<string> _afterFlight = [];
        private readonly HashSet<CachedStatement> _parsed = [];
        private readonly List<CachedStatement> _known = [];
        private long _flight;

        public void Run(int[] steps)
        {
            StartFlight();
            foreach (var step in steps)
                Do(step % 32, Texts[step / 32 % Texts.Length], Types[step / 256 % Types.Length], step / 2048);
            EndFlight();
            Assert.That(StatementCacheModel.Closes(_cache, areSent: true), Is.SubsetOf(_server));
        }

        private void Do(int kind, string sql, uint[] types, int rest)
        {
            switch (kind)
            {
                case < 20:
                    Use(rest % 4 == 0 ? new string(sql.AsSpan()) : sql, types, atOnce: rest / 4 % 8 == 0);
                    break;
                case < 22:
                    Hold(sql, types);
                    break;
                case 22:
                    Remove(sql, types);
                    break;
                case 23:
                    Forget();
                    break;
                case 24:
                    Abandon();
                    break;
                case 25:
                    Assert.That(_cache.FindExplicit(sql, types) is not null, Is.EqualTo(_model.FindExplicit(sql, types)));
                    break;
                default:
                    EndFlight();
                    StartFlight();
                    break;
            }
            Assert.That(_cache.Count, Is.EqualTo(_model.Count));
        }

        private void StartFlight()
        {
            _flight++;
            _parsed.Clear();
            var closed = StatementCacheModel.Closes(_cache, areSent: false);
            Assert.That(closed, Is.SubsetOf(_server), "only what is there is closed");
            _afterFlight = [.. _server.Except(closed)];
        }

        private void EndFlight()
        {
            _cache.ClosesSent();
            _server = _afterFlight;
            foreach (var statement in _parsed)
                statement.Parsed(0);
            var due = StatementCacheModel.Closes(_cache, areSent: false);
            var expected = _known.Where(statement => _cache.Contains(statement) && statement.IsOnServer).Select(statement => statement.Name);
            Assert.That(_server.Except(due), Is.EquivalentTo(expected.Distinct()), "the server knows what the cache believes");
            Assert.That(_cache.CountOnServer, Is.EqualTo(_server.Count), "the cache knows how many the server knows");
        }

        // Writing failed: nothing of the flight was sent.
        private void Abandon()
        {
            _afterFlight = _server;
            StartFlight();
        }

        private void Use(string sql, uint[] types, bool atOnce)
        {
            var statement = _cache.Use(sql, types, _flight, atOnce);
            var expected = _model.Use(sql, types, _flight, atOnce);
            Assert.That(statement is null, Is.EqualTo(expected is null));
            if (statement is null)
                return;
            Assert.That((statement.Sql, string.Join(',', statement.ParameterTypes)), Is.EqualTo((expected!.Sql, string.Join(',', expected.Types))));
            Write(statement);
        }

        private void Hold(string sql, uint[] types)
        {
            var statement = _cache.Hold(sql, types);
            _model.Hold(sql, types);
            Assert.That(statement.IsExplicit, Is.True);
            Write(statement);
        }

        // As QueryExchange does: Parse unless the server knows it, Close in front of it where it may.
        private void Write(CachedStatement statement)
        {
            if (!_known.Contains(statement))
                _known.Add(statement);
            if (!_parsed.Add(statement))
                return;
            Assert.That(_afterFlight.Contains(statement.Name), Is.EqualTo(statement.IsOnServer), "the cache knows whether the name is free");
            _afterFlight.Add(statement.Name);
        }

        // As Unprepare does, between two flights.
        private void Remove(string sql, uint[] types)
        {
            EndFlight();
            if (_known.FindLast(one => _cache.Contains(one) && one.Sql == sql && one.ParameterTypes.SequenceEqual(types)) is { } statement)
            {
                _cache.Remove(statement);
                _model.Remove(sql, types);
            }
            StartFlight();
        }

        private void Forget()
        {
            EndFlight();
            _server.Clear();
            _cache.ServerForgotAll();
            StartFlight();
        }
    }
}
