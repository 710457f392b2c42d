namespace Loxo.Tests.Interleavings;

/// <summary>
/// Runs threads one at a time and tries every order of their steps, depth first. A step goes from one <see cref="Point"/> to the next; a thread that could have
/// gone on is interrupted at most <paramref name="preemptions"/> times in a run.
/// </summary>
internal sealed class Interleaver(int preemptions)
{
    private readonly List<(int Options, int Taken)> _path = [];
    private readonly List<int> _trace = [];
    private int _position;

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
        while (Failures.Count < 5 && Backtrack());
    }

    private string? Run(Action[] programs)
    {
        _position = 0;
        _trace.Clear();
        var actors = Array.ConvertAll(programs, program => new Actor(program));
        var left = preemptions;
        for (var last = -1; actors.Any(actor => !actor.HasEnded);)
        {
            var canGoOn = last >= 0 && !actors[last].HasEnded;
            int[] options = canGoOn && left == 0 ? [last]
                : [.. canGoOn ? [last] : Array.Empty<int>(), .. Enumerable.Range(0, actors.Length).Where(i => i != last && !actors[i].HasEnded)];
            var next = options[Choose(options.Length)];
            left -= canGoOn && next != last ? 1 : 0;
            last = next;
            _trace.Add(next);
            if (!actors[next].Step())
                return $"thread {next} waits for ever";
        }
        return actors.Select(actor => actor.Failure).FirstOrDefault(failure => failure is not null);
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
        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

        private readonly SemaphoreSlim _go = new(0);
        private readonly SemaphoreSlim _paused = new(0);
        private readonly Action _program;

        public Actor(Action program)
        {
            _program = program;
            new Thread(Run) { IsBackground = true }.Start();
        }

        public bool HasEnded { get; private set; }

        public string? Failure { get; private set; }

        public bool Step()
        {
            _go.Release();
            return _paused.Wait(Patience);
        }

        public void Pause()
        {
            _paused.Release();
            _go.Wait();
        }

        private void Run()
        {
            _go.Wait();
            _current = this;
            try
            {
                _program();
            }
            catch (Exception error)
            {
                Failure = error.ToString();
            }
            HasEnded = true;
            _paused.Release();
        }
    }
}
