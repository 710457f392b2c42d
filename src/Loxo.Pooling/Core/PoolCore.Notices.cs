using System.Diagnostics.CodeAnalysis;

namespace Loxo.Pooling.Core;

// What the policy is told. It cannot harm the pool by throwing.
[SuppressMessage("Design", "CA1031:Do not catch general exception types", Justification = "A notification must not change what happens.")]
internal sealed partial class PoolCore<T, TSteps>
{
    private void TellOpened(T resource, long started)
    {
        try
        {
            _policy.Opened(resource, _options.Time.GetElapsedTime(started));
        }
        catch (Exception)
        {
            // Said in the documentation of the policy.
        }
    }

    private void TellOpenFailed(Exception error)
    {
        try
        {
            _policy.OpenFailed(error);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    private void TellClosed(T resource, CloseReason reason)
    {
        try
        {
            _policy.Closed(resource, reason);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    private void TellCheckFailed(T resource, Exception? error)
    {
        try
        {
            _policy.CheckFailed(resource, error);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    private void TellAbandoned(T resource, RentalInfo info)
    {
        try
        {
            _policy.Abandoned(resource, info);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    private bool Asks(Slot<T> slot)
    {
        try
        {
            return _policy.NeedsAttention(slot.Resource!);
        }
        catch (Exception)
        {
            // The check will tell.
            return true;
        }
    }

    private bool IsLost(T resource)
    {
        try
        {
            return _policy.IsAbandoned(resource);
        }
        catch (Exception)
        {
            // It is in use; it stays so.
            return false;
        }
    }
}
