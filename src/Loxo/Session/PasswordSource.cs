using Loxo.Transport;

namespace Loxo.Session;

/// <summary>Where logins get their password from, if not from the connection string, the environment or the password file.</summary>
internal abstract class PasswordSource
{
    /// <summary>Gets a password, and the role if it belongs to another one than that of the connection string, blocking.</summary>
    /// <param name="context">Where to log in.</param>
    /// <param name="refused">The last one, if the server has refused it; null for none.</param>
    /// <param name="limit">When opening is given up.</param>
    /// <returns>Null if there is none, or no other than the one that was refused.</returns>
    public abstract PgCredential? Get(SessionContext context, PgCredential? refused, Deadline limit);

    /// <inheritdoc cref="Get"/>
    public abstract ValueTask<PgCredential?> GetAsync(
        SessionContext context, PgCredential? refused, Deadline limit, CancellationToken token);

    /// <summary>Asks for no more passwords on its own.</summary>
    public virtual void Stop()
    {
    }

    /// <summary>The credential of a password without anything else; null for null.</summary>
    protected static PgCredential? Of(string? password) => password is null ? null : new(password);
}

/// <summary>A password that the program sets and may change at any time.</summary>
internal sealed class SetPassword : PasswordSource
{
    private volatile string? _password;

    /// <summary>The password for the next logins.</summary>
    public string? Password { set => _password = value; }

    /// <summary>Asked where no password is known at all.</summary>
    public volatile Func<string?>? Fallback;

    public override PgCredential? Get(SessionContext context, PgCredential? refused, Deadline limit) =>
        refused is not null ? null : Of(_password ?? Fallback?.Invoke());

    public override ValueTask<PgCredential?> GetAsync(
        SessionContext context, PgCredential? refused, Deadline limit, CancellationToken token) =>
        new(Get(context, refused, limit));
}

/// <summary>Functions of the program, which are asked for each login.</summary>
internal sealed class PasswordProvider(Func<string> blocking, Func<CancellationToken, ValueTask<string>> async) : PasswordSource
{
    public override PgCredential? Get(SessionContext context, PgCredential? refused, Deadline limit) => Of(blocking());

    public override async ValueTask<PgCredential?> GetAsync(
        SessionContext context, PgCredential? refused, Deadline limit, CancellationToken token)
    {
        var asked = async(token).AsTask();
        try
        {
            return Of(await asked.WaitAsync(limit.Left, token).ConfigureAwait(false));
        }
        catch (TimeoutException) when (!asked.IsFaulted)
        {
            throw HandshakeErrors.NoPasswordInTime();
        }
    }
}

/// <summary>Functions of the program whose credentials are used until they expire. Each server has its own.</summary>
internal sealed class CredentialProvider(CredentialFunctions functions, TimeProvider time) : PasswordSource
{
    private readonly ExpiringCredential _last = new(functions, time);

    public override PgCredential? Get(SessionContext context, PgCredential? refused, Deadline limit) =>
        _last.Get(Request(context, refused), refused, limit);

    public override ValueTask<PgCredential?> GetAsync(
        SessionContext context, PgCredential? refused, Deadline limit, CancellationToken token) =>
        _last.GetAsync(Request(context, refused), refused, limit, token);

    private static PgCredentialRequest Request(SessionContext context, PgCredential? refused) => new()
    {
        Host = context.Transport.Host.Host,
        Port = context.Transport.Host.Port,
        Database = context.Settings.Database,
        Username = refused?.Username ?? context.Settings.User,
        MustBeNew = refused is not null,
    };
}
