using System.Collections.Concurrent;

namespace Loxo.Transport;

/// <summary>
/// A few <see cref="ReactorLoop"/>s over which sessions are spread; each session stays with its loop. They are shared by all data sources
/// of the process that want the same ones.
/// </summary>
internal sealed class Reactor
{
    private const int ProcessorsForLoop = 4;

    private static readonly ConcurrentDictionary<ReactorSettings, Reactor> _reactors = new();

    private readonly ReactorContinuations _continuations;
    private readonly ReactorLoop?[] _loops;
    private uint _next;

    private Reactor(ReactorSettings settings)
    {
        _continuations = settings.Continuations;
        _loops = new ReactorLoop[settings.Loops > 0 ? settings.Loops : Math.Max(1, Environment.ProcessorCount / ProcessorsForLoop)];
    }

    /// <summary>The loop for another session.</summary>
    /// <param name="settings">Which loops are to be used; null for none.</param>
    /// <returns>It lives as long as the process. Null if the sockets of .NET are to be used, as on other systems than Linux.</returns>
    public static ReactorLoop? LoopFor(ReactorSettings? settings) => settings is not null && OperatingSystem.IsLinux()
        ? _reactors.GetOrAdd(settings, static settings => new Reactor(settings)).Next()
        : null;

    // Called for each session that is opened. A loop that could not be made, because the system had no handle left, is tried again.
    private ReactorLoop Next()
    {
        lock (_loops)
            return _loops[_next++ % _loops.Length] ??= new ReactorLoop(LoopCrew.Shared, _continuations);
    }
}
