using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>TLS between a wire's buffers and its channel. SslStream never touches the network, so the same two loops wait.</summary>
internal sealed class TlsLayer : SecurityLayer
{
    // A record carries at most 16 KiB of plain text (RFC 8446, 5.1); four of them fill a send.
    private const int EncryptAtOnce = 64 * 1024;

    private readonly CipherStream _cipher;
    private readonly SslStream _ssl;
    private readonly byte[] _plain = new byte[16 * 1024];
    private readonly Task _handshake;
    private readonly HostAddress _host;
    private ValueTask<int> _reading;
    private bool _isReading;
    private bool _hasEnded;

    /// <summary>Starts the handshake: its first message is in <see cref="SecurityLayer.Outgoing"/> when this returns.</summary>
    /// <param name="options">Of the handshake.</param>
    /// <param name="host">The server's name in errors.</param>
    public TlsLayer(SslClientAuthenticationOptions options, HostAddress host)
    {
        _host = host;
        HasCertificate = options.ClientCertificateContext is not null || options.ClientCertificates is { Count: > 0 };
        _cipher = new CipherStream(Outgoing);
        _ssl = new SslStream(_cipher, leaveInnerStreamOpen: true);
        using (new WithoutContext())
            _handshake = _ssl.AuthenticateAsClientAsync(options, CancellationToken.None);
        WaitUntilQuiet(_handshake);
    }

    public Task Handshake => _handshake;

    public X509Certificate2? RemoteCertificate => _ssl.RemoteCertificate as X509Certificate2;

    /// <summary>Whether there is a certificate of the client, should the server ask for one.</summary>
    public bool HasCertificate { get; }

    /// <summary>Whether the server has asked for it and got it.</summary>
    public bool HasShownCertificate => _ssl.IsMutuallyAuthenticated;

    /// <summary>Whether the server has chosen one of the protocols that were offered (ALPN).</summary>
    public bool AgreedOnProtocol => !_ssl.NegotiatedApplicationProtocol.Protocol.IsEmpty;

    public override Memory<byte> FreeSpace() => _hasEnded ? throw new EndOfStreamException() : _cipher.FreeSpace();

    public override void Arrived(int count, MessageReader input)
    {
        using (new WithoutContext())
            _cipher.Feed(count);
        if (!_handshake.IsCompleted)
            WaitUntilQuiet(_handshake);
        else if (_handshake.IsCompletedSuccessfully)
            Decrypt(input);
    }

    public override bool Encrypt(MessageWriter output)
    {
        if (output.Pending.IsEmpty || !_handshake.IsCompletedSuccessfully)
            return false;
        var count = Math.Min(EncryptAtOnce, output.Pending.Length);
        _ssl.Write(output.Pending[..count]);
        output.Consume(count);
        return true;
    }

    public override void WriteClosing()
    {
        if (!_handshake.IsCompletedSuccessfully)
            return;
        using (new WithoutContext())
            _ = _ssl.ShutdownAsync();
    }

    public override void Dispose() => _ssl.Dispose();

    [SuppressMessage("Reliability", "CA2012",
        Justification = "The one read in progress is kept, and its result taken once, when it is complete.")]
    private void Decrypt(MessageReader input)
    {
        while (true)
        {
            if (!_isReading)
                using (new WithoutContext())
                    _reading = _ssl.ReadAsync(_plain.AsMemory(), CancellationToken.None);
            _isReading = true;
            if (!_reading.IsCompleted && _cipher.IsReadPending)
                return;
            var spin = default(SpinWait);
            while (!_reading.IsCompleted && !_cipher.IsReadPending)
                spin.SpinOnce();
            if (!_reading.IsCompleted)
                return;
            _isReading = false;
            var count = Decrypted();
            // Messages that arrived before the end, a FATAL error perhaps, are read first.
            _hasEnded = count == 0;
            if (_hasEnded)
                return;
            input.Append(_plain.AsSpan(0, count));
        }
    }

    // With TLS 1.3 the server judges the client's certificate when the handshake is over here, and its alert arrives in place of a reply.
    private int Decrypted()
    {
        try
        {
            return _reading.GetAwaiter().GetResult();
        }
        catch (IOException e) when (TlsAlert.Find(e) is { } alert)
        {
            throw TlsErrors.FromAlert(_host, alert, HasCertificate, e);
        }
    }

    // SslStream goes on inline when it is fed, or on another thread, for microseconds, if its caller has a scheduler of its own.
    private void WaitUntilQuiet(Task task)
    {
        var spin = default(SpinWait);
        while (!task.IsCompleted && !_cipher.IsReadPending)
            spin.SpinOnce();
    }

    // Under a SynchronizationContext the runtime would send SslStream's continuations to the thread pool instead of running them here.
    private readonly ref struct WithoutContext
    {
        private readonly SynchronizationContext? _former;

        public WithoutContext()
        {
            _former = SynchronizationContext.Current;
            if (_former is not null)
                SynchronizationContext.SetSynchronizationContext(null);
        }

        public void Dispose()
        {
            if (_former is not null)
                SynchronizationContext.SetSynchronizationContext(_former);
        }
    }
}
