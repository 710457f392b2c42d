using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// The last credential that a program has supplied, as long as it is valid. One login asks at a time; logins that come meanwhile wait, and
/// take the answer if it is valid for longer than one login.
/// </summary>
internal sealed class ExpiringCredential(CredentialFunctions functions, TimeProvider time)
{
    // Never disposed: it has no handle unless somebody asks for one.
    private readonly SemaphoreSlim _asking = new(1);
    private volatile PgCredential? _last;

    /// <summary>Gets a credential, blocking.</summary>
    /// <param name="request">What the program is told if it is asked.</param>
    /// <param name="refused">The credential that the server has refused; null for none.</param>
    /// <param name="limit">When opening is given up.</param>
    /// <returns>Null if the program has none.</returns>
    public PgCredential? Get(PgCredentialRequest request, PgCredential? refused, Deadline limit)
    {
        if (Find(refused) is { } known)
            return known;
        if (!_asking.Wait(limit.NextWait))
            throw HandshakeErrors.NoPasswordInTime();
        try
        {
            return Find(refused) ?? (_last = functions.Blocking(request));
        }
        catch (Exception e) when (e is not PgException)
        {
            throw HandshakeErrors.PasswordProviderFailed(e);
        }
        finally
        {
            _asking.Release();
        }
    }

    /// <inheritdoc cref="Get"/>
    public async ValueTask<PgCredential?> GetAsync(
        PgCredentialRequest request, PgCredential? refused, Deadline limit, CancellationToken token)
    {
        if (Find(refused) is { } known)
            return known;
        if (!await _asking.WaitAsync(limit.NextWait, token).ConfigureAwait(false))
            throw HandshakeErrors.NoPasswordInTime();
        var asked = AskAsync(request, refused, token);
        try
        {
            return await asked.WaitAsync(limit.Left, token).ConfigureAwait(false);
        }
        catch (TimeoutException) when (!asked.IsCompleted)
        {
            throw HandshakeErrors.NoPasswordInTime();
        }
        catch (Exception e) when (e is not PgException && !token.IsCancellationRequested)
        {
            throw HandshakeErrors.PasswordProviderFailed(e);
        }
    }

    // Goes on when its login has given up, so that the next one finds the answer.
    private async Task<PgCredential?> AskAsync(PgCredentialRequest request, PgCredential? refused, CancellationToken token)
    {
        try
        {
            return Find(refused) ?? (_last = await functions.Async(request, token).ConfigureAwait(false));
        }
        finally
        {
            _asking.Release();
        }
    }

    private PgCredential? Find(PgCredential? refused) =>
        _last is { ExpiresAt: { } end } last && !ReferenceEquals(last, refused) && time.GetUtcNow() < end ? last : null;
}

/// <summary>Functions of a program that supply credentials, in the form of the wait.</summary>
internal sealed record CredentialFunctions(
    Func<PgCredentialRequest, PgCredential?> Blocking, Func<PgCredentialRequest, CancellationToken, ValueTask<PgCredential?>> Async);
