using System.Runtime.InteropServices;
using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Transport;

/// <summary>
/// The flights that have been written and not been answered whole. The server answers them in order, so the first one takes the messages
/// that arrive; one caller advances all of them, whichever it waits for.
/// </summary>
/// <remarks>Every call is made under the gate of the <see cref="Wire"/>, or by the only caller that there is.</remarks>
/// <param name="input">The messages that arrive.</param>
internal sealed class FlightQueue(MessageReader input)
{
    private readonly Queue<Flight> _flights = new(4);
    // The last caller that waits for the exchange; mostly there is one. Those before it follow by Turn.Next.
    private readonly Dictionary<Exchange, Turn> _waiting = [];
    // Where the first flight has stopped; NeedMore while it runs.
    private Progress _stop;
    private bool _stopWasReported;
    // The exchange whose error makes the server skip the rest of its group; null for none.
    private Exchange? _failed;

    /// <summary>How many flights are queued.</summary>
    public int Count => _flights.Count;

    /// <summary>The exchange that is answered now; null for none.</summary>
    public Exchange? First => _flights.TryPeek(out var first) ? first.Exchange : null;

    /// <summary>Whether nothing goes on until the caller of the first exchange has read on.</summary>
    public bool IsBlocked => _stop != Progress.NeedMore || First is { IsFull: true };

    /// <summary>The server answers the flight after those that were queued before.</summary>
    /// <param name="exchange">The exchange that has written it.</param>
    /// <param name="start">The position of its first byte in the output.</param>
    public void Enqueue(Exchange exchange, long start)
    {
        exchange.IsOver = false;
        _flights.Enqueue(new Flight(exchange, start));
    }

    /// <summary>
    /// Advances the flights up to the first stop of <paramref name="exchange"/>. An exchange that is not queued has the wire for itself.
    /// </summary>
    public Progress Advance(Exchange exchange)
    {
        while (true)
        {
            if (exchange.Replay() is not Progress.NeedMore and var replayed)
                return replayed;
            if (!_flights.TryPeek(out var flight))
                return exchange.Advance(input);
            var first = flight.Exchange;
            var isOwn = ReferenceEquals(first, exchange);
            if (_stop != Progress.NeedMore && (!isOwn || !_stopWasReported))
            {
                _stopWasReported |= isOwn;
                return isOwn ? _stop : Progress.NeedMore;
            }
            _stop = Progress.NeedMore;
            if (_failed is not null && !IsSkippedToSync(first))
                continue;
            var progress = first.Advance(input);
            switch (progress)
            {
                case Progress.FlightEnd:
                    _flights.Dequeue();
                    continue;
                case Progress.Done:
                    _flights.Dequeue();
                    _failed = first.HasFailedGroup ? first : null;
                    End(first);
                    continue;
                case Progress.NeedMore:
                    if (isOwn)
                        return first.Replay();
                    TryWake(first);
                    return progress;
                default:
                    (_stop, _stopWasReported) = (progress, isOwn);
                    TryWake(first);
                    return isOwn ? progress : Progress.NeedMore;
            }
        }
    }

    /// <summary>The first exchange that has stopped is read no more: the others need not wait for its caller.</summary>
    public void Leave(Exchange exchange)
    {
        if (ReferenceEquals(First, exchange))
            _stop = Progress.NeedMore;
    }

    /// <summary>Wakes the next caller that can go on, or can receive for the others.</summary>
    public void WakeNext()
    {
        if (_waiting.Count == 0)
            return;
        foreach (var flight in _flights)
        {
            if (TryWake(flight.Exchange) || IsBlocked)
                return;
        }
    }

    /// <summary>A caller of <paramref name="exchange"/>, which waits for nothing else, waits while another caller receives.</summary>
    public void Wait(Exchange exchange, Turn turn)
    {
        ref var last = ref CollectionsMarshal.GetValueRefOrAddDefault(_waiting, exchange, out _);
        (turn.Next, last) = (last, turn);
    }

    /// <summary>The caller goes on, or has given up; others that wait for the exchange still do.</summary>
    public void EndWait(Exchange exchange, Turn turn)
    {
        if (_waiting.Remove(exchange, out var last) && Without(turn, last) is { } rest)
            _waiting.Add(exchange, rest);
    }

    /// <summary>The exchanges that have not been answered whole, in order; one that has several flights comes several times.</summary>
    public IEnumerable<Exchange> Exchanges => _flights.Select(static flight => flight.Exchange);

    /// <summary>The connection is lost: every exchange is told whether it may have run, and its caller is woken.</summary>
    /// <param name="sent">The position up to which the output was sent.</param>
    public void Lost(long sent)
    {
        foreach (var flight in _flights)
        {
            flight.Exchange.Lost(mayHaveRun: flight.Start < sent);
            TryWake(flight.Exchange);
        }
    }

    private bool IsSkippedToSync(Exchange first)
    {
        if (first.SkipAfter(_failed!))
        {
            _failed = null;
            return true;
        }
        _flights.Dequeue();
        End(first);
        return false;
    }

    private void End(Exchange exchange)
    {
        // A caller may look at any moment whether it is over.
        if (!exchange.TryGoOn())
        {
            exchange.IsOver = true;
            exchange.Ended();
        }
        TryWake(exchange);
    }

    private bool TryWake(Exchange exchange)
    {
        if (_waiting.Count == 0 || !_waiting.Remove(exchange, out var turn))
            return false;
        for (; turn is not null; turn = turn.Next)
            turn.Give();
        return true;
    }

    private static Turn? Without(Turn turn, Turn? last)
    {
        if (last is null || ReferenceEquals(last, turn))
            return last?.Next;
        last.Next = Without(turn, last.Next);
        return last;
    }

    private readonly record struct Flight(Exchange Exchange, long Start);
}
