namespace Loxo.Tests.Interleavings;

/// <summary>
/// Runs threads one at a time and tries every order of their steps, depth first. A step goes from one <see cref="Point"/> to the next; a thread that could have
/// gone on is interrupted at most <paramref name="preemptions"/> times in a run.
/// </summary>
internal sealed class Interleaver(int preemptions)
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly List<(int Options, int Taken)> _path = [];
    private readonly List<int> _trace = [];
    private readonly List<int> _options = [];
    private readonly AutoResetEvent _over = new(false);
    private Actor[] _actors = [];
    private int _position;
    private int _left;
    // The thread that runs.
    private int _last;
    private bool _hangs;

    [ThreadStatic]
    private static Actor? _current;

    /// <summary>The number of orders that were tried.</summary>
    public int Runs { get; private set; }

    /// <summary>The orders that went wrong, with the numbers of the threads in the order of their steps.</summary>
    public List<string> Failures { get; } = [];

    /// <summary>A place where another thread may go on. Does nothing on a thread that is not one of the programs'.</summary>
    public static void Point() => _current?.Pause();

    /// <summary>Tries all orders.</summary>
    /// <param name="begin">Makes the programs of one run, and what is checked behind it: null if all is well.</param>
    public void Explore(Func<(Action[] Programs, Func<string?> Check)> begin)
    {
        do
        {
            Runs++;
            var (programs, check) = begin();
            if ((Run(programs) ?? check()) is { } failure)
                Failures.Add($"{string.Concat(_trace)}: {failure}");
        }
        while (Failures.Count < 5 && !_hangs && Backtrack());
    }

    private string? Run(Action[] programs)
    {
        _position = 0;
        _trace.Clear();
        _actors = Array.ConvertAll(programs, program => new Actor(this, program));
        (_left, _last) = (preemptions, -1);
        Next()!.Go();
        // Each step chooses the next one, so that a thread that goes on waits for nobody.
        for (var steps = 0; !_over.WaitOne(Patience); steps = _trace.Count)
        {
            _hangs = _trace.Count == steps;
            if (_hangs)
                return $"thread {_last} waits for ever";
        }
        return _actors.Select(actor => actor.Failure).FirstOrDefault(failure => failure is not null);
    }

    // Null if all have ended.
    private Actor? Next()
    {
        var canGoOn = _last >= 0 && !_actors[_last].HasEnded;
        _options.Clear();
        if (canGoOn)
            _options.Add(_last);
        for (var i = 0; i < _actors.Length && !(canGoOn && _left == 0); i++)
        {
            if (i != _last && !_actors[i].HasEnded)
                _options.Add(i);
        }
        if (_options.Count == 0)
            return null;
        var next = _options[Choose(_options.Count)];
        _left -= canGoOn && next != _last ? 1 : 0;
        _last = next;
        _trace.Add(next);
        return _actors[next];
    }

    private int Choose(int options)
    {
        if (_position == _path.Count)
            _path.Add((options, 0));
        // A work item of the thread pool may have come between at another time than in the run before.
        else if (_path[_position].Options != options)
            _path[_position] = (options, Math.Min(_path[_position].Taken, options - 1));
        return _path[_position++].Taken;
    }

    private bool Backtrack()
    {
        for (; _path.Count > 0; _path.RemoveAt(_path.Count - 1))
        {
            var (options, taken) = _path[^1];
            if (taken + 1 == options)
                continue;
            _path[^1] = (options, taken + 1);
            return true;
        }
        return false;
    }

    private sealed class Actor
    {
        private readonly AutoResetEvent _go = new(false);
        private readonly Interleaver _interleaver;
        private readonly Action _program;

        public Actor(Interleaver interleaver, Action program)
        {
            (_interleaver, _program) = (interleaver, program);
            new Thread(Run) { IsBackground = true }.Start();
        }

        public bool HasEnded { get; private set; }

        public string? Failure { get; private set; }

        public void Go() => _go.Set();

        public void Pause()
        {
            var next = _interleaver.Next()!;
            if (next == this)
                return;
            next.Go();
            _go.WaitOne();
        }

        private void Run()
        {
            _go.WaitOne();
            _current = this;
            try
            {
                _program();
            }
            catch (Exception error)
            {
                Failure = error.ToString();
            }
            _current = null;
            _go.Dispose();
            HasEnded = true;
            if (_interleaver.Next() is { } next)
                next.Go();
            else
                _interleaver._over.Set();
        }
    }
}
