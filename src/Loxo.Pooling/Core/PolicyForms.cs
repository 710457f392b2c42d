namespace Loxo.Pooling.Core;

/// <summary>Which methods of a policy are overridden, and so in which ways a pool can be used.</summary>
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
        FindsAbandoned = IsOwn(policy.IsAbandoned);
        MissingToBlock = !open ? "Open" : ChecksAsync && !Checks ? "Check" : ResetsAsync && !Resets ? "Reset" : null;
        MissingToAwait = !openAsync ? "OpenAsync" : Checks && !ChecksAsync ? "CheckAsync" : Resets && !ResetsAsync ? "ResetAsync" : null;
    }

    public bool Checks { get; }

    public bool ChecksAsync { get; }

    public bool Resets { get; }

    public bool ResetsAsync { get; }

    public bool Closes { get; }

    public bool ClosesAsync { get; }

    public bool NeedsAttention { get; }

    public bool FindsAbandoned { get; }

    /// <summary>What the policy lacks for blocking use; null if nothing.</summary>
    public string? MissingToBlock { get; }

    /// <summary>What the policy lacks for asynchronous use; null if nothing.</summary>
    public string? MissingToAwait { get; }

    public NotSupportedException NotSupported(string missing) => new($"The pool cannot be used this way: {_policy} does not override {missing}. "
        + (missing.EndsWith("Async", StringComparison.Ordinal) ? "Use the blocking methods, or override it." : "Use the asynchronous methods, or override it."));

    private static bool IsOwn(Delegate method) =>
        method.Method.DeclaringType is not { IsGenericType: true } type || type.GetGenericTypeDefinition() != typeof(ResourcePolicy<>);
}
