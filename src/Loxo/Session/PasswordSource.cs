using Loxo.Transport;

namespace Loxo.Session;

/// <summary>Where logins get their password from, if not from the connection string, the environment or the password file.</summary>
internal abstract class PasswordSource
{
    /// <summary>Gets a password, blocking.</summary>
    /// <param name="mustBeNew">The server has refused the last one.</param>
    /// <param name="limit">When opening is given up.</param>
    /// <returns>Null if there is none, or no other than the one that was refused.</returns>
    public abstract string? Get(bool mustBeNew, Deadline limit);

    /// <inheritdoc cref="Get"/>
    public abstract ValueTask<string?> GetAsync(bool mustBeNew, Deadline limit, CancellationToken token);

    /// <summary>Asks for no more passwords on its own.</summary>
    public virtual void Stop()
    {
    }
}

/// <summary>A password that the program sets and may change at any time.</summary>
internal sealed class SetPassword : PasswordSource
{
    private volatile string? _password;

    /// <summary>The password for the next logins.</summary>
    public string? Password { set => _password = value; }

    /// <summary>Asked where no password is known at all.</summary>
    public volatile Func<string?>? Fallback;

    public override string? Get(bool mustBeNew, Deadline limit) => mustBeNew ? null : _password ?? Fallback?.Invoke();

    public override ValueTask<string?> GetAsync(bool mustBeNew, Deadline limit, CancellationToken token) => new(Get(mustBeNew, limit));
}

/// <summary>Functions of the program, which are asked for each login.</summary>
internal sealed class PasswordProvider(Func<string> blocking, Func<CancellationToken, ValueTask<string>> async) : PasswordSource
{
    public override string? Get(bool mustBeNew, Deadline limit) => blocking();

    public override async ValueTask<string?> GetAsync(bool mustBeNew, Deadline limit, CancellationToken token) =>
        await async(token).ConfigureAwait(false);
}
