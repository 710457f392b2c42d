namespace Loxo.Transport;

/// <summary>Told what happens while a <see cref="Wire"/> waits. None of the calls may block.</summary>
internal interface IWireOwner
{
    void WaitTimedOut();

    void WaitCancelled();

    /// <summary>The stream or the protocol failed: nothing more can be exchanged. Returns what to throw.</summary>
    Exception Failed(Exception cause);
}
