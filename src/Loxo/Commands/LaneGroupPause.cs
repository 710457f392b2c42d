namespace Loxo.Commands;

/// <summary>
/// Lets commands share no transaction for a while when groups of them fail. The pause doubles with each further failure. Every call is made
/// under the gate of the wire.
/// </summary>
/// <param name="tolerated">The number of failed groups that cause no pause yet.</param>
/// <param name="successes">After so many groups in succession that have not failed, the failures are forgotten.</param>
internal sealed class LaneGroupPause(int tolerated, int successes)
{
    private const int Milliseconds = 50;
    private const int MostDoublings = 7;

    private int _failures;
    private int _successes;
    private long _until;

    /// <summary>Whether commands may share a transaction.</summary>
    public bool IsOver => Environment.TickCount64 >= _until;

    /// <summary>A group has come to its end.</summary>
    public void Ended(bool hasFailed)
    {
        if (!hasFailed)
        {
            if (++_successes >= successes)
                _failures = 0;
            return;
        }
        _successes = 0;
        _failures = Math.Min(_failures + 1, tolerated + MostDoublings);
        if (_failures > tolerated)
            _until = Environment.TickCount64 + (Milliseconds << (_failures - tolerated));
    }
}
