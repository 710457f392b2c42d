using System.Diagnostics.CodeAnalysis;

namespace Loxo.Pooling.Core;

/// <summary>Which methods a policy overrides, and so whether the pool can be used by blocking, asynchronously, or both.</summary>
internal sealed class PolicyForms<T>
    where T : class
{
    private readonly string _policy;

    public PolicyForms(ResourcePolicy<T> policy)
    {
        _policy = policy.GetType().Name;
        var (open, openAsync) = (IsOwn(policy.Open), IsOwn(policy.OpenAsync));
        (Checks, ChecksAsync) = (IsOwn(policy.Check), IsOwn(policy.CheckAsync));
        (Resets, ResetsAsync) = (IsOwn(policy.Reset), IsOwn(policy.ResetAsync));
        (Closes, ClosesAsync) = (IsOwn(policy.Close), IsOwn(policy.CloseAsync));
        NeedsAttention = IsOwn(policy.NeedsAttention);
        FindsLost = IsOwn(policy.IsAbandoned) || IsOwn(policy.IsBroken);
        MissingToBlock = !open ? "Open" : ChecksAsync && !Checks ? "Check" : MissingToReset;
        MissingToAwait = !openAsync ? "OpenAsync" : Checks && !ChecksAsync ? "CheckAsync" : MissingToResetAsync;
    }

    public bool Checks { get; }

    public bool ChecksAsync { get; }

    public bool Resets { get; }

    public bool ResetsAsync { get; }

    public bool Closes { get; }

    public bool ClosesAsync { get; }

    public bool NeedsAttention { get; }

    /// <summary>Whether it tells of rented resources that are not to be waited for.</summary>
    public bool FindsLost { get; }

    /// <summary>The method that the policy lacks for blocking use; null if none.</summary>
    public string? MissingToBlock { get; }

    /// <summary>The method that the policy lacks for asynchronous use; null if none.</summary>
    public string? MissingToAwait { get; }

    /// <summary>The method that the policy lacks for resetting by blocking; null if none.</summary>
    public string? MissingToReset => ResetsAsync && !Resets ? "Reset" : null;

    /// <summary>The method that the policy lacks for resetting asynchronously; null if none.</summary>
    public string? MissingToResetAsync => Resets && !ResetsAsync ? "ResetAsync" : null;

    /// <exception cref="NotSupportedException">A method is missing.</exception>
    public void ThrowIf(string? missing)
    {
        if (missing is not null)
            Throw(missing);
    }

    [DoesNotReturn]
    private void Throw(string missing) => throw new NotSupportedException(
        $"The pool cannot be used this way: {_policy} does not override {missing}. Use the "
        + (missing.EndsWith("Async", StringComparison.Ordinal) ? "blocking" : "asynchronous") + " methods, or override it.");

    private static bool IsOwn(Delegate method) =>
        method.Method.DeclaringType is not { IsGenericType: true } type || type.GetGenericTypeDefinition() != typeof(ResourcePolicy<>);
}
