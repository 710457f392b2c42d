using System.Diagnostics.CodeAnalysis;

namespace Loxo.Pooling.Core;

/// <summary>Notifies and asks the policy. An exception from the policy changes nothing in the pool.</summary>
[SuppressMessage("Design", "CA1031:Do not catch general exception types", Justification = "A notification must not change what happens.")]
internal sealed class PolicyNotices<T>(ResourcePolicy<T> policy)
    where T : class
{
    public void Opened(T resource, TimeSpan took) => Notify(static (policy, it) => policy.Opened(it.resource, it.took), (resource, took));

    public void OpenFailed(Exception error) => Notify(static (policy, error) => policy.OpenFailed(error), error);

    public void Closed(T resource, CloseReason reason) => Notify(static (policy, it) => policy.Closed(it.resource, it.reason), (resource, reason));

    public void CheckFailed(T resource, Exception? error) => Notify(static (policy, it) => policy.CheckFailed(it.resource, it.error), (resource, error));

    public void Abandoned(T resource, RentalInfo info) => Notify(static (policy, it) => policy.Abandoned(it.resource, it.info), (resource, info));

    /// <summary>Whether an idle resource should be checked: also if the question fails, because the check gives the answer.</summary>
    public bool NeedsAttention(T resource)
    {
        try
        {
            return policy.NeedsAttention(resource);
        }
        catch (Exception)
        {
            return true;
        }
    }

    /// <summary>Whether the renter has disappeared: not if the question fails, because the resource may be in use.</summary>
    public bool IsAbandoned(T resource)
    {
        try
        {
            return policy.IsAbandoned(resource);
        }
        catch (Exception)
        {
            return false;
        }
    }

    private void Notify<TArgument>(Action<ResourcePolicy<T>, TArgument> notification, TArgument argument)
    {
        try
        {
            notification(policy, argument);
        }
        catch (Exception)
        {
            // Ignored, as the policy's documentation says.
        }
    }
}
