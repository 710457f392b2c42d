using System.Diagnostics.CodeAnalysis;

namespace Loxo.Pooling.Core;

/// <summary>Notifies and asks the policy. An exception from the policy changes nothing in the pool.</summary>
[SuppressMessage("Design", "CA1031:Do not catch general exception types", Justification = "A notification must not change what happens.")]
internal sealed class PolicyNotices<T>(ResourcePolicy<T> policy)
    where T : class
{
    public void Opened(T resource, TimeSpan took) => Notify(static (policy, it) => policy.Opened(it.resource, it.took), (resource, took));

    public void OpenFailed(Exception error) => Notify(static (policy, error) => policy.OpenFailed(error), error);

    public void Closed(T resource, CloseReason reason) =>
        Notify(static (policy, it) => policy.Closed(it.resource, it.reason), (resource, reason));

    public void CheckFailed(T resource, Exception? error) =>
        Notify(static (policy, it) => policy.CheckFailed(it.resource, it.error), (resource, error));

    public void Abandoned(T resource, RentalInfo info) =>
        Notify(static (policy, it) => policy.Abandoned(it.resource, it.info), (resource, info));

    /// <summary>How long a renter waits before it tries again to open; null if it does not.</summary>
    public TimeSpan? RetryOpenAfter(Exception error, int failures)
    {
        try
        {
            return policy.RetryOpenAfter(error, failures);
        }
        catch (Exception)
        {
            return null;
        }
    }

    public void Overdue(T resource, RentalInfo info) =>
        Notify(static (policy, it) => policy.Overdue(it.resource, it.info), (resource, info));

    /// <summary>What the resource is used for; null for nothing to say.</summary>
    public string? Describe(T resource)
    {
        try
        {
            return policy.Describe(resource);
        }
        catch (Exception)
        {
            return null;
        }
    }

    /// <summary>Whether an idle resource should be checked. If the question fails it should, because the check tells.</summary>
    public bool NeedsAttention(T resource) => Ask(static (policy, resource) => policy.NeedsAttention(resource), resource, otherwise: true);

    /// <summary>Whether the renter has disappeared. If the question fails it has not, because the resource may be in use.</summary>
    public bool IsAbandoned(T resource) => Ask(static (policy, resource) => policy.IsAbandoned(resource), resource, otherwise: false);

    /// <summary>Whether the renter cannot use it any more. If the question fails it can.</summary>
    public bool IsBroken(T resource) => Ask(static (policy, resource) => policy.IsBroken(resource), resource, otherwise: false);

    /// <summary>Whether the policy lets the renter continue. If it fails it does not.</summary>
    public bool TryResume(IThreadPoolWorkItem renter) => Ask(static (policy, renter) => policy.TryResume(renter), renter, otherwise: false);

    private bool Ask<TArgument>(Func<ResourcePolicy<T>, TArgument, bool> question, TArgument argument, bool otherwise)
    {
        try
        {
            return question(policy, argument);
        }
        catch (Exception)
        {
            return otherwise;
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
