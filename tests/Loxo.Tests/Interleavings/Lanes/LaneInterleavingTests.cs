using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Interleavings;
using Loxo.Tests.Session;
using Loxo.Tests.Wire;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.Commands.Interleaved;

/// <summary>
/// The code of <see cref="Lane"/> and <see cref="LaneOperation"/>, compiled a second time with names that are bound to
/// <see cref="LaneScheduler"/>, on a server in memory that answers at once. Whatever the order of their steps: each call ends once, with its own
/// answer or its own error; no object is used by two calls; nobody waits for ever; in the end the lane has nothing to do, and a lane that takes no
/// more commands has given its session up.
/// </summary>
[Category("Slow")]
public sealed class LaneInterleavingTests
{
    private static readonly TestCaseData WasIdle = Case("one keeps the thread of a lane that was idle", run =>
        [run.Together(3, 4), run.Behind(2, run.Then(1, () => run.Keep(until: 4))), run.Behind(2, run.Async(2)), run.Behind(2, run.LookLong)]);

    private static readonly TestCaseData[] Scenarios =
    [
        Case("two callers that block, twice each", run => [run.Blocking(1, 2), run.Blocking(3, 4)]),
        Case("two callers that await, twice each", run => [run.Async(1, 2), run.Async(3, 4)]),
        Case("one that blocks and one that awaits", run => [run.Blocking(1), run.Async(2)]),
        Case("the time of one that blocks is over", run => [run.Timed(run.Blocking(1, 2)), run.Tick]),
        Case("the time of one that awaits is over", run => [run.Timed(run.Async(1, 2)), run.Tick]),
        Case("one that blocks is cancelled", run => [run.Blocking(1, 2), run.CancelEarliest]),
        Case("one that awaits is cancelled twice", run => [run.Async(1, 2), run.CancelEarliest, run.CancelToken]),
        Case("the lane is retired", run => [run.Blocking(1), run.Async(2), run.Retire]),
        Case("the lane is retired while two await", run => [run.Async(1), run.Async(2), run.Retire]),
        Case("the connection is lost at once", run => [run.Blocking(1), run.Async(2)], lifetime: 0),
        Case("the connection is lost later", run => [run.Blocking(1, 2), run.Blocking(3, 4)], lifetime: 2),
        Case("a result is too large", run => [run.Large(1), run.Blocking(2)], many: 20_000),
        Case("a result is too large for one that awaits", run => [run.Large(1), run.Async(2)], many: 20_000),
        Case("one blocks where it goes on, on the lane's thread", run => [run.Then(1, () => run.Call(2, blocks: true)), run.Async(3)], calls: 1),
        Case("one keeps the lane's thread", run => [run.Then(1, () => run.Keep(until: 2)), run.Async(2), run.Look]),
        WasIdle,
        Case("updates share a transaction", run => [run.Updates(1, 2, 3), run.Updates(4)], groups: true),
        Case("an update fails", run => [run.Updates(1, 2, 0, 3), run.Updates(4)], groups: true),
        Case("two updates fail", run => [run.Updates(1, 0, 2), run.Updates(3, 0)], groups: true),
        Case("updates are cancelled", run => [run.Updates(1, 2, 3), run.CancelEarliest], groups: true),
        Case("updates, one of which fails, are cancelled", run => [run.Updates(1, 2, 0, 3), run.CancelEarliest], groups: true),
        Case("the time of updates is over", run => [run.Timed(run.Updates(1, 2, 0)), run.Tick], groups: true),
        Case("updates beside one that blocks", run => [run.Updates(1, 2, 3), run.BlockingUpdate(4)], groups: true),
        Case("the connection is lost within a transaction", run => [run.Updates(1, 2, 3), run.Updates(4)], lifetime: 2, groups: true),
        Case("a commit is not reported", run => [run.Updates(1, 2, 3), run.Updates(4)], commits: 1, groups: true),
        Case("a lane of updates is retired", run => [run.Updates(1, 2, 3), run.Updates(4), run.Retire], groups: true),
        Case("a result is too large beside updates", run => [run.Updates(1, 2), run.Large(3), run.Updates(4, 5)], many: 20_000, groups: true),
        Case("a result is too large beside an update that fails", run => [run.Large(1), run.Updates(2, 0, 3)], many: 20_000, groups: true),
        Case("queries share a transaction", run => [run.Queries(1, 2, 3), run.Queries(4)], reads: true),
        Case("a query fails", run => [run.Queries(1, 2, 0, 3), run.Queries(4)], reads: true),
        Case("two queries fail", run => [run.Queries(1, 0, 2), run.Queries(3, 0)], reads: true),
        Case("queries are cancelled", run => [run.Queries(1, 2, 3), run.CancelEarliest], reads: true),
        Case("queries, one of which fails, are cancelled", run => [run.Queries(1, 2, 0, 3), run.CancelEarliest], reads: true),
        Case("the time of queries is over", run => [run.Timed(run.Queries(1, 2, 0)), run.Tick], reads: true),
        Case("queries beside one that blocks", run => [run.Queries(1, 0, 3), run.Blocking(4)], reads: true),
        Case("the connection is lost within a transaction of queries", run => [run.Queries(1, 2, 3), run.Queries(4)], lifetime: 2, reads: true),
        Case("a lane of queries is retired", run => [run.Queries(1, 2, 3), run.Queries(4), run.Retire], reads: true),
        Case("a result is too large beside queries", run => [run.Queries(1, 2), run.Large(3)], many: 20_000, reads: true),
        Case("queries behind a result that is too large", run => [run.Large(1), run.Queries(2, 3), run.Blocking(4)], many: 20_000, reads: true),
        Case("queries go to another lane", run => [run.Queries(1, 2, 3), run.MoveWaiting, run.Blocking(4)], reads: true),
        Case("queries, one of which fails, go to another lane", run => [run.Queries(1, 0, 2), run.MoveWaiting], reads: true),
        Case("queries go to another lane and are cancelled", run => [run.Queries(1, 2, 3), run.MoveWaiting, run.CancelEarliest], reads: true),
        Case("a value is encoded late", run => [run.Timed(run.Blocking(1)), run.Async(2), run.Tick]),
    ];

    [TestCaseSource(nameof(Scenarios))]
    public void Each_call_ends_once_with_its_own_answer_or_error(object scenario) => Explore(scenario, preemptions: 1, most: 500);

    [Test]
    public void A_lane_that_is_busy_again_at_the_last_look_is_watched_on() => Explore(WasIdle.Arguments[0]!, preemptions: 1, most: 2_000);

    [TestCaseSource(nameof(Scenarios)), Category("Long")]
    public void It_does_so_with_two_interruptions_too(object scenario)
    {
        using var run = LongRun.Begin("orders of lanes", cases: Scenarios.Length);
        Explore(scenario, preemptions: 2, most: 100_000, run);
    }

    private static void Explore(object scenario, int preemptions, int most, LongRun? run = null)
    {
        var (programs, faults, many, calls, kind) = ((Func<Run, Action[]>, Faults, int, int, Kind))scenario;
        var scheduler = new LaneScheduler(preemptions);
        var shared = 0L;

        scheduler.Explore(() => new Run(faults, many, calls, kind) { Ended = counts => shared += counts.Grouped }.Begin(programs),
            many > 0 ? most / 5 : most, run);

        TestContext.Out.WriteLine($"{scheduler.Runs} orders; {shared} commands shared a transaction; {scheduler.StepsBesideBlocked} steps beside blocked threads");
        Assert.That(scheduler.Failure, Is.Null);
        Assert.That(scheduler.Runs, Is.GreaterThan(20));
        // A lane that has stopped for a large result takes no more commands.
        var least = many > 0 ? scheduler.Runs / 10 : scheduler.Runs;
        Assert.That(shared, kind != Kind.Plain ? Is.GreaterThan(least) : Is.Zero, "commands that shared a transaction");
    }

    private static TestCaseData Case(
        string name, Func<Run, Action[]> programs, int lifetime = int.MaxValue, int many = 0, int calls = 0, bool groups = false,
        int commits = int.MaxValue, bool reads = false) =>
        new TestCaseData((programs, new Faults(lifetime, commits), many, calls, reads ? Kind.Queries : groups ? Kind.Changes : Kind.Plain))
            .SetArgDisplayNames(name);

    /// <summary>Which commands share a transaction.</summary>
    private enum Kind
    {
        Plain,
        Queries,
        Changes,
    }

    /// <summary>When the connection is lost: after so many statements, or before so many commits and one are reported.</summary>
    private sealed record Faults(int Lifetime, int Commits);

    /// <summary>One order of the threads.</summary>
    private sealed class Run
    {
        private readonly PgDataSource _source;
        private readonly AnsweringServer _server;
        private readonly LoopCrew _crew = new(looks: false);
        private readonly LaneSet _set;
        private readonly Lane _lane;
        private readonly List<(LaneOperation Operation, long Call)> _calls = [];
        private readonly HashSet<LaneOperation> _used = [];
        private readonly HashSet<LaneOperation> _known = [];
        private readonly CancellationTokenSource _cancelled = new();
        private readonly bool _isLost;
        // The updates that their callers were told are done.
        private readonly HashSet<int> _done = [];
        private int _expected;
        private int _ended;
        private bool _mayFail;
        private int _timeout = Timeout.Infinite;
        private bool _isKept;

        /// <summary>Begins.</summary>
        /// <param name="faults">When the connection is lost.</param>
        /// <param name="many">The number of rows of a large result.</param>
        /// <param name="calls">The number of calls that go on from others.</param>
        /// <param name="kind">Which commands share a transaction.</param>
        public Run(Faults faults, int many, int calls, Kind kind)
        {
            _expected = calls;
            _server = new AnsweringServer { Wait = LaneScheduler.WaitUntil, Many = many };
            var settings = Given.Settings("Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=4;Max Auto Prepare=0");
            _source = new PgDataSource(settings, loggers: null, _server, new SimulatedTime());
            _set = new LaneSet(_source.Context, _source.Pool!, settings.Pool, new PgLaneOptions(), NullLogger.Instance) { Crew = _crew };
            _lane = new Lane(_set, _source.Pool!.Rent(), reads: kind == Kind.Queries, groupsChanges: kind == Kind.Changes);
            (_server.Lifetime, _server.CommitsReported) = (faults.Lifetime, faults.Commits);
            _mayFail = _isLost = faults != new Faults(int.MaxValue, int.MaxValue);
        }

        /// <summary>Called with what the lane has done.</summary>
        public required Action<LaneCounts> Ended { get; init; }

        public (Lock Gate, Func<string?> Check, Action End) Begin(Func<Run, Action[]> programs)
        {
            _lane.Start();
            var all = programs(this);
            foreach (var program in all)
                LaneScheduler.Begin(program, isLane: false);
            // Something else takes part in it than callers.
            _mayFail |= all.Any(program => program.Target == this);
            return (_lane.Session.Wire.Gate, Check, End);
        }

        public Action Blocking(params int[] values) => Calls(values, blocks: true, "SELECT $1");

        public Action Async(params int[] values) => Calls(values, blocks: false, "SELECT $1");

        /// <summary>Updates that are added one after the other, and then awaited; 0 fails.</summary>
        public Action Updates(params int[] values) => Together(values, Update);

        /// <summary>Calls that are added one after the other, and then awaited.</summary>
        public Action Together(params int[] values) => Together(values, static _ => "SELECT $1");

        /// <summary>When so many calls have ended.</summary>
        public Action Behind(int ended, Action program) => () =>
        {
            LaneScheduler.WaitUntil(() => _ended >= ended);
            program();
        };

        /// <summary>Queries that are added one after the other, and then awaited; 0 fails.</summary>
        public Action Queries(params int[] values) => Together(values, static value => value == 0 ? "SELECT $1 fail" : "SELECT $1");

        private Action Together(int[] values, Func<int, string> sql)
        {
            _expected += values.Length;
            return () =>
            {
                var added = Array.ConvertAll(values, value => Add(value, blocks: false, sql(value)));
                for (var i = 0; i < values.Length; i++)
                {
                    if (added[i] is { } operation)
                        End(Outcome(operation, values[i], blocks: false, sql(values[i])));
                }
            };
        }

        public Action BlockingUpdate(int value) => Calls([value], blocks: true, Update(value));

        private static string Update(int value) => value == 0 ? "UPDATE t SET v = $1 WHERE fail RETURNING v" : "UPDATE t SET v = $1 RETURNING v";

        public Action Large(int value) => Calls([value], blocks: true, "SELECT $1 many");

        /// <summary>A call that awaits, and goes on with something else where it is resumed.</summary>
        public Action Then(int value, Action goesOn)
        {
            _expected++;
            return () => Call(value, blocks: false, goesOn: goesOn);
        }

        /// <summary>Keeps the thread until so many calls have ended.</summary>
        public void Keep(int until)
        {
            _isKept = true;
            LaneScheduler.WaitUntil(() => _ended >= until);
        }

        /// <summary>Looks whether a thread is kept, as often as it takes to find out.</summary>
        public void Look()
        {
            _mayFail = false;
            LaneScheduler.WaitUntil(() => _isKept && _calls.Count == _expected);
            for (var i = 0; i < 3; i++)
            {
                LaneScheduler.Point();
                _crew.Look();
            }
        }

        /// <summary>As well, after so many looks in vain that the next one is the last at a lane with nothing to do.</summary>
        public void LookLong()
        {
            LaneScheduler.EnterSection();
            for (var i = 0; i < LoopCrew.MostLooksInVain; i++)
                _crew.Look();
            LaneScheduler.LeaveSection();
            _crew.Look();
            Look();
        }

        /// <summary>The time of everybody is over.</summary>
        public void Tick() => _lane.Tick(LaneScheduler.Now + 60_000);

        /// <summary>The time of a call may be over at any moment.</summary>
        public Action Timed(Action calls)
        {
            _mayFail = true;
            _timeout = 30_000;
            return calls;
        }

        public void CancelEarliest()
        {
            LaneScheduler.Point();
            var calls = _calls.ToArray();
            LaneScheduler.Point();
            foreach (var (operation, call) in calls)
                operation.Cancel(call);
        }

        public void CancelToken()
        {
            LaneScheduler.Point();
            LaneScheduler.Cancel(_cancelled);
        }

        public void Retire() => _lane.Retire();

        /// <summary>As if the first one took long.</summary>
        public void MoveWaiting() => _lane.MoveWaiting();

        private Action Calls(int[] values, bool blocks, string sql)
        {
            _expected += values.Length;
            return () =>
            {
                foreach (var value in values)
                    Call(value, blocks, sql);
            };
        }

        public void Call(int value, bool blocks, string sql = "SELECT $1", Action? goesOn = null)
        {
            if (Add(value, blocks, sql) is not { } operation)
                return;
            if (goesOn is null)
                End(Outcome(operation, value, blocks, sql));
            else
                GoOn(operation, value, goesOn);
        }

        // Null if the lane takes none, which ends the call.
        private LaneOperation? Add(int value, bool blocks, string sql)
        {
            using var command = _source.CreateCommand(sql);
            command.Parameters.Add(new PgParameter<int> { TypedValue = value });
            LaneScheduler.Point();
            var operation = _lane.Free.Rent();
            _known.Add(operation);
            if (!_used.Add(operation))
                throw new AssertionException("an object is used by two calls");
            var statements = ((IExecutable)command).Plan(_lane.Session);
            statements[0].Source.FastRuns = byte.MaxValue;
            if (!operation.TryEncode(command, statements))
                throw new AssertionException("it was not encoded");
            LaneScheduler.Point();
            if (!_lane.TryAdd(operation, ResultMode.Collect, blocks, _timeout))
            {
                _used.Remove(operation);
                operation.Recycle();
                End(_mayFail || _server.Many > 0 ? null : "the lane takes nothing");
                return null;
            }
            _calls.Add((operation, operation.Call));
            return operation;
        }

        // On the thread that resumes it.
        [SuppressMessage("Reliability", "CA2012", Justification = "Its result is taken once, when it is complete.")]
        private void GoOn(LaneOperation operation, int value, Action goesOn)
        {
            var waiting = operation.WaitAsync(CancellationToken.None).GetAwaiter();
            var hasEnded = false;
            // As await does: what has ended is not waited for, or the runtime's thread pool would resume it.
            if (waiting.IsCompleted)
                Resume();
            else
                waiting.UnsafeOnCompleted(Resume);
            LaneScheduler.WaitUntil(() => hasEnded);

            void Resume()
            {
                waiting.GetResult();
                End(Outcome(operation, value));
                goesOn();
                hasEnded = true;
            }
        }

        // Receiving may have blocked it: then another thread takes a step until this one comes to a point.
        private string? Outcome(LaneOperation operation, int value, bool? blocks = null, string sql = "")
        {
            try
            {
                if (blocks == true)
                    operation.Wait();
                else if (blocks == false)
                    Await(operation);
                if (operation.IsMoved)
                {
                    _used.Remove(operation);
                    operation.Exchange.EndCommand();
                    return null;
                }
                if (sql.Contains("fail", StringComparison.Ordinal))
                    return Refused(operation, value);
                var values = Read(operation.Exchange);
                LaneScheduler.Point();
                if (operation.Exchange.GivenUpFor is not StopReason.None and var reason)
                    throw SessionErrors.GivenUp(reason, default);
                if (operation.Exchange.Failure is { } failure)
                    throw failure;
                _used.Remove(operation);
                operation.Exchange.EndCommand();
                if (sql.StartsWith("UPDATE", StringComparison.Ordinal))
                    _done.Add(value);
                var isLarge = values.Count > 1;
                return values.Count != (isLarge ? _server.Many : 1) || values.Exists(read => read != value) ? $"read {values[0]} for {value}" : null;
            }
            catch (Exception e) when (_mayFail && e is (PgException or OperationCanceledException))
            {
                LaneScheduler.Point();
                // The lane may go on with the object.
                _used.Remove(operation);
                return null;
            }
        }

        // It gets its own error, whatever became of the others.
        private string? Refused(LaneOperation operation, int value)
        {
            var exchange = operation.Exchange;
            while (exchange.Pump(Timeout.Infinite) != Progress.Done)
            {
            }
            LaneScheduler.Point();
            if (exchange.GivenUpFor is not StopReason.None and var reason)
                throw SessionErrors.GivenUp(reason, default);
            if (exchange.Failure is { } failure)
                throw failure;
            var isRight = exchange.Query.Error?.SqlState == "23514";
            _used.Remove(operation);
            exchange.EndCommand();
            return isRight ? null : $"{value} was not refused";
        }

        [SuppressMessage("Reliability", "CA2012", Justification = "Its result is taken once, when it is complete.")]
        private void Await(LaneOperation operation)
        {
            var waiting = operation.WaitAsync(_cancelled.Token).GetAwaiter();
            var completed = 0;
            var isCompleted = waiting.IsCompleted;
            if (!isCompleted)
                waiting.UnsafeOnCompleted(() => completed++);
            LaneScheduler.WaitUntil(() => isCompleted || completed > 0);
            waiting.GetResult();
            if (completed > 1)
                throw new AssertionException($"completed {completed} times");
        }

        private static List<int> Read(CommandExchange exchange)
        {
            var values = new List<int>();
            for (Progress progress; (progress = exchange.Pump(Timeout.Infinite)) != Progress.Done;)
            {
                if (progress != Progress.Row)
                    continue;
                exchange.Rows.Start(1, hasRows: true);
                QueuedCommands.TakeRows(exchange, values);
            }
            return exchange.Query.Error is null ? values : throw new AssertionException("the server refused the statement");
        }

        private void End(string? wrong)
        {
            _ended++;
            if (wrong is not null)
                throw new AssertionException(wrong);
        }

        private string? Check()
        {
            if (_ended != _expected)
                return $"{_ended} of {_expected} calls have ended";
            // A lane that has stopped for a large result is closed with the queries that have left it.
            if (!_isLost && _lane.Depth > (_lane.IsClosed ? _lane.Counts.Moved : 0))
                return $"{_lane.Depth} commands have not ended";
            if (!_done.IsSubsetOf(_server.Committed) || _server.Committed.Count != _server.Committed.Distinct().Count())
                return $"{string.Join(", ", _done)} were reported, {string.Join(", ", _server.Committed)} committed";
            if (_lane.IsRetired != _lane.IsClosed)
                return "the lane takes no more commands, and has its session still";
            if (_source.Pool!.GetStatistics().Busy != (_lane.IsClosed ? 0 : 1))
                return "the pool does not know";
            if (_lane.IsRetired)
                return null;
            var free = (Stack<LaneOperation>)typeof(LaneFreeOperations)
                .GetField("_free", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(_lane.Free)!;
            return free.Distinct().Count() != free.Count || free.Count != _known.Count ? $"{free.Count} of {_known.Count} objects are free" : null;
        }

        private void End()
        {
            Ended(_lane.Counts);
            _lane.Session.Dispose();
            _crew.End();
            _source.Dispose();
            _cancelled.Dispose();
        }
    }
}
