using System.Collections.Concurrent;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;

namespace Loxo.Transport;

/// <summary>What all handshakes of a data source share: certificates, read from their files once, and which hosts have encrypted.</summary>
internal sealed class TlsContext
{
    // "postgresql" (manual, "SSL Session Encryption"): servers before 17 ignore it.
    private static readonly SslApplicationProtocol _application = new("postgresql");

    private readonly TlsSettings _settings;
    private readonly TimeProvider _time;
    private readonly CachedFiles<X509Certificate2Collection>? _roots;
    private readonly CachedFiles<IReadOnlyList<RevocationList>>? _revocations;
    private readonly CachedFiles<SslStreamCertificateContext>? _client;
    private readonly ConcurrentDictionary<HostAddress, bool> _encrypting = new();

    public TlsContext(TlsSettings settings, TimeProvider time)
    {
        (_settings, _time) = (settings, time);
        if (settings.RootCertificate is { } path && settings.Program.Roots is null)
            _roots = new(() => [path], () => CertificateFiles.Roots(path), time);
        var (list, directory) = (settings.RevocationList, settings.RevocationDirectory);
        if (list is not null || directory is not null)
            _revocations = new(() => CertificateFiles.OfRevocations(list, directory),
                () => CertificateFiles.RevocationLists(list, directory), time);
        if (settings.ClientCertificate is { } files && settings.ClientCertificateMode != ClientCertificateMode.Disable)
            _client = new(() => CertificateFiles.OfClient(files), () => CertificateFiles.Client(files), time);
    }

    private X509RevocationMode RevocationMode =>
        _settings.CheckCertificateRevocation ? X509RevocationMode.Online : X509RevocationMode.NoCheck;

    /// <summary>
    /// Whether a connection in clear to the host is out of the question: the settings want TLS, or it has worked with the host before.
    /// </summary>
    public bool MustEncrypt(HostAddress host) => _settings.InsistsOnTls || _encrypting.ContainsKey(host);

    /// <summary>Notes that the host encrypts: from here on it has to.</summary>
    public void RememberEncryption(HostAddress host) => _encrypting.TryAdd(host, true);

    public PgException Refused(HostAddress host) => TlsErrors.Refused(host, _settings);

    /// <summary>The options of one handshake.</summary>
    /// <exception cref="PgException">A certificate cannot be used.</exception>
    /// <exception cref="ArgumentException">The program replaces the check of the server's certificate.</exception>
    public SslClientAuthenticationOptions ForHandshake(HostAddress host, Deadline limit, out CertificateCheck check)
    {
        check = new CertificateCheck(_settings, host, _settings.ChecksChain ? _revocations?.Get() : null, _time);
        var own = new RemoteCertificateValidationCallback(check.Accepts);
        var options = new SslClientAuthenticationOptions
        {
            TargetHost = _settings.SendsHostName ? host.Host : "",
            ApplicationProtocols = [_application],
            EnabledSslProtocols = _settings.Protocols,
            CertificateRevocationCheckMode = _settings.ChecksChain ? RevocationMode : X509RevocationMode.NoCheck,
            CertificateChainPolicy = _settings.ChecksChain ? ChainPolicy(limit) : null,
            RemoteCertificateValidationCallback = own,
            // A resumed session shows no certificate, so that nobody could tell whether the server has asked for it.
            AllowTlsResume = _settings.ClientCertificateMode != ClientCertificateMode.Require,
        };
        AddClientCertificates(options, host);
        AddProgram(options, own, check);
        return options;
    }

    private X509ChainPolicy ChainPolicy(Deadline limit)
    {
        // Missing certificates are not looked for in the network, which libpq does not either: no time limit would interrupt it.
        var policy = new X509ChainPolicy { RevocationMode = RevocationMode, DisableCertificateDownloads = true };
        if (limit.Left != Timeout.InfiniteTimeSpan)
            policy.UrlRetrievalTimeout = limit.Left > TimeSpan.FromMilliseconds(1) ? limit.Left : TimeSpan.FromMilliseconds(1);
        if ((GivenRoots() ?? _roots?.Get()) is not { } roots)
            return policy;
        policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        policy.CustomTrustStore.AddRange(roots);
        return policy;
    }

    private X509Certificate2Collection? GivenRoots()
    {
        var roots = default(X509Certificate2Collection);
        if (_settings.Program.Roots is { } give)
            Run(() => roots = give() ?? throw new InvalidOperationException("It returned null in place of root certificates."));
        return roots;
    }

    // A failure of the program's code must not look like one of TLS, after which a connection in clear might be tried.
    private static void Run(Action program)
    {
        try
        {
            program();
        }
        catch (Exception e)
        {
            throw TlsErrors.CallbackFailed(e);
        }
    }

    private void AddClientCertificates(SslClientAuthenticationOptions options, HostAddress host)
    {
        options.ClientCertificateContext = _client?.Get();
        if (_settings.ClientCertificateMode == ClientCertificateMode.Disable)
            return;
        if (_settings.Program.ClientCertificates is { } add)
        {
            var certificates = new X509Certificate2Collection();
            Run(() => add(certificates));
            if (certificates.Count > 0)
                (options.ClientCertificates, options.ClientCertificateContext) = (certificates, null);
        }
        if (_settings.ClientCertificateMode == ClientCertificateMode.Require
            && options.ClientCertificateContext is null && options.ClientCertificates is null && _settings.Program.Options is null)
            throw TlsErrors.NoClientCertificate(host);
    }

    private void AddProgram(SslClientAuthenticationOptions options, RemoteCertificateValidationCallback own, CertificateCheck check)
    {
        if (_settings.Program.Validation is { } validation)
            options.RemoteCertificateValidationCallback = validation;
        if (_settings.Program.Options is { } change)
            Run(() => change(options));
        if (options.RemoteCertificateValidationCallback == own)
            return;
        if (_settings.ChecksChain)
            throw TlsErrors.TwoChecks(_settings);
        if (options.RemoteCertificateValidationCallback is { } theirs)
            options.RemoteCertificateValidationCallback = check.Asking(theirs);
    }
}
