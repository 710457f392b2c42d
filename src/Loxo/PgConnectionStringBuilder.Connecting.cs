using System.ComponentModel;
using Loxo.Settings;

namespace Loxo;

// Where to connect, as whom, how it is encrypted, and what the session starts with.
public sealed partial class PgConnectionStringBuilder
{
    /// <summary>
    /// A host name or IP address, with <c>:port</c> if it is not <see cref="Port"/>; or the directory of a Unix socket, or <c>@name</c> for
    /// an abstract one. Several are separated by commas. Environment: PGHOST. There is no default: null is refused when connecting.
    /// </summary>
    /// <exception cref="ArgumentException">An entry is empty, or its port is not one.</exception>
    [DisplayName("Host")]
    public string? Host { get => Get(Keywords.Host); set => Set(Keywords.Host, value); }

    /// <summary>
    /// The port of hosts that do not name theirs; also the number in the name of a Unix socket. Environment: PGPORT. The default is 5432.
    /// </summary>
    /// <exception cref="ArgumentException">The value is not between 1 and 65535.</exception>
    [DisplayName("Port")]
    public int Port { get => Get(Keywords.Port); set => Set(Keywords.Port, value); }

    /// <summary>The database to open. Environment: PGDATABASE. The default, null, is the database named like the user.</summary>
    [DisplayName("Database")]
    public string? Database { get => Get(Keywords.Database); set => Set(Keywords.Database, value); }

    /// <summary>The role to log in as. Environment: PGUSER. The default, null, is the operating system's name for the user.</summary>
    [DisplayName("Username")]
    public string? Username { get => Get(Keywords.Username); set => Set(Keywords.Username, value); }

    /// <summary>The password. Environment: PGPASSWORD. The default, null, looks it up in <see cref="Passfile"/>.</summary>
    [DisplayName("Password"), PasswordPropertyText(true)]
    public string? Password { get => Get(Keywords.Password); set => Set(Keywords.Password, value); }

    /// <summary>
    /// The path of a password file with lines <c>host:port:database:user:password</c>. It is passed over if its group or others can read it
    /// (not on Windows). Environment: PGPASSFILE. The default, null, is <c>~/.pgpass</c>, on Windows
    /// <c>%APPDATA%\postgresql\pgpass.conf</c>.
    /// </summary>
    [DisplayName("Passfile")]
    public string? Passfile { get => Get(Keywords.Passfile); set => Set(Keywords.Passfile, value); }

    /// <summary>
    /// What the server shows as <c>application_name</c> in its views and log. Environment: PGAPPNAME. The default, null, sends none.
    /// </summary>
    [DisplayName("Application Name")]
    public string? ApplicationName { get => Get(Keywords.ApplicationName); set => Set(Keywords.ApplicationName, value); }

    /// <summary>Whether opening takes part in the ambient transaction of System.Transactions. The default is true.</summary>
    [DisplayName("Enlist")]
    public bool Enlist { get => Get(Keywords.Enlist); set => Set(Keywords.Enlist, value); }

    /// <summary>The session's <c>search_path</c>, such as <c>app, public</c>. The default, null, leaves the server's.</summary>
    [DisplayName("Search Path")]
    public string? SearchPath { get => Get(Keywords.SearchPath); set => Set(Keywords.SearchPath, value); }

    /// <summary>
    /// The session's <c>client_encoding</c>; only UTF8 can be used. Environment: PGCLIENTENCODING. The default, null, is UTF8.
    /// </summary>
    [DisplayName("Client Encoding")]
    public string? ClientEncoding { get => Get(Keywords.ClientEncoding); set => Set(Keywords.ClientEncoding, value); }

    /// <summary>The encoding that text is read and written in; only UTF8 can be used. The default is UTF8.</summary>
    [DisplayName("Encoding")]
    public string? Encoding { get => Get(Keywords.Encoding); set => Set(Keywords.Encoding, value); }

    /// <summary>
    /// The session's <c>TimeZone</c>, such as <c>Europe/Rome</c>. Environment: PGTZ. The default, null, leaves the server's.
    /// </summary>
    [DisplayName("Timezone")]
    public string? Timezone { get => Get(Keywords.Timezone); set => Set(Keywords.Timezone, value); }

    /// <summary>
    /// Settings for the session in the form of command-line options: <c>-c geqo=off</c>. Environment: PGOPTIONS. The default, null, sends
    /// none.
    /// </summary>
    [DisplayName("Options")]
    public string? Options { get => Get(Keywords.Options); set => Set(Keywords.Options, value); }

    /// <summary>
    /// Whether the connection is encrypted and the server's certificate checked. Environment: PGSSLMODE. The default is
    /// <see cref="SslMode.Prefer"/>.
    /// </summary>
    [DisplayName("SSL Mode")]
    public SslMode SslMode { get => Get(Keywords.SslMode); set => Set(Keywords.SslMode, value); }

    /// <summary>How TLS is begun. Environment: PGSSLNEGOTIATION. The default is <see cref="SslNegotiation.Postgres"/>.</summary>
    [DisplayName("SSL Negotiation")]
    public SslNegotiation SslNegotiation { get => Get(Keywords.SslNegotiation); set => Set(Keywords.SslNegotiation, value); }

    /// <summary>
    /// Whether GSSAPI encrypts the connection. Environment: PGGSSENCMODE. The default is <see cref="GssEncryptionMode.Prefer"/>.
    /// </summary>
    [DisplayName("GSS Encryption Mode")]
    public GssEncryptionMode GssEncryptionMode { get => Get(Keywords.GssEncryptionMode); set => Set(Keywords.GssEncryptionMode, value); }

    /// <summary>The path of the client's certificate. Environment: PGSSLCERT. The default, null, sends none.</summary>
    [DisplayName("SSL Certificate")]
    public string? SslCertificate { get => Get(Keywords.SslCertificate); set => Set(Keywords.SslCertificate, value); }

    /// <summary>
    /// The path of the key of <see cref="SslCertificate"/>. Environment: PGSSLKEY. The default, null, expects it in the same file.
    /// </summary>
    [DisplayName("SSL Key")]
    public string? SslKey { get => Get(Keywords.SslKey); set => Set(Keywords.SslKey, value); }

    /// <summary>The password of <see cref="SslKey"/>. The default, null, is for a key that is not encrypted.</summary>
    [DisplayName("SSL Password"), PasswordPropertyText(true)]
    public string? SslPassword { get => Get(Keywords.SslPassword); set => Set(Keywords.SslPassword, value); }

    /// <summary>
    /// The path of a PEM file with the authorities to trust instead of the system's. Environment: PGSSLROOTCERT. The default, null, is
    /// <c>~/.postgresql/root.crt</c> (on Windows <c>%APPDATA%\postgresql\root.crt</c>) if that exists and certificates are checked, else
    /// the system's authorities.
    /// </summary>
    [DisplayName("Root Certificate")]
    public string? RootCertificate { get => Get(Keywords.RootCertificate); set => Set(Keywords.RootCertificate, value); }

    /// <summary>
    /// Whether to ask the authority if the server's certificate was revoked. It matters only where certificates are checked:
    /// <see cref="SslMode.VerifyCA"/> and <see cref="SslMode.VerifyFull"/>. The default is false.
    /// </summary>
    [DisplayName("Check Certificate Revocation")]
    public bool CheckCertificateRevocation
    {
        get => Get(Keywords.CheckCertificateRevocation);
        set => Set(Keywords.CheckCertificateRevocation, value);
    }

    /// <summary>
    /// Whether SCRAM is tied to the TLS connection. Environment: PGCHANNELBINDING. The default is <see cref="ChannelBinding.Prefer"/>.
    /// </summary>
    [DisplayName("Channel Binding")]
    public ChannelBinding ChannelBinding { get => Get(Keywords.ChannelBinding); set => Set(Keywords.ChannelBinding, value); }

    /// <summary>
    /// The authentication methods that the server may use, with commas between them: Password, MD5, GSS, SSPI, ScramSHA256, None; or, each
    /// with <c>!</c>, those that it may not. libpq's spellings are accepted too. Environment: PGREQUIREAUTH. The default, null, allows all.
    /// </summary>
    /// <exception cref="ArgumentException">A method is unknown, or some have <c>!</c> and others not.</exception>
    [DisplayName("Require Auth")]
    public string? RequireAuth { get => Get(Keywords.RequireAuth); set => Set(Keywords.RequireAuth, value); }

    /// <summary>The service part of the server's Kerberos name. The default is <c>postgres</c>.</summary>
    [DisplayName("Kerberos Service Name")]
    public string? KerberosServiceName { get => Get(Keywords.KerberosServiceName); set => Set(Keywords.KerberosServiceName, value); }

    /// <summary>Whether a user name taken from Kerberos keeps its realm. The default is true.</summary>
    [DisplayName("Include Realm")]
    public bool IncludeRealm { get => Get(Keywords.IncludeRealm); set => Set(Keywords.IncludeRealm, value); }

    /// <summary>Whether the connection string of an opened connection still shows the password. The default is false.</summary>
    [DisplayName("Persist Security Info")]
    public bool PersistSecurityInfo { get => Get(Keywords.PersistSecurityInfo); set => Set(Keywords.PersistSecurityInfo, value); }

    /// <summary>
    /// Which of several hosts to use: any, read-write, read-only, primary, standby, prefer-primary, prefer-standby. Environment:
    /// PGTARGETSESSIONATTRS. The default, null, is any.
    /// </summary>
    /// <exception cref="ArgumentException">The value is none of these.</exception>
    [DisplayName("Target Session Attributes")]
    public string? TargetSessionAttributes
    {
        get => TextOf(Keywords.TargetSessionAttributes);
        set => this[Keywords.TargetSessionAttributes.Name] = value;
    }

    /// <summary>Whether opens are spread over several hosts instead of starting at the first. The default is false.</summary>
    [DisplayName("Load Balance Hosts")]
    public bool LoadBalanceHosts { get => Get(Keywords.LoadBalanceHosts); set => Set(Keywords.LoadBalanceHosts, value); }

    /// <summary>
    /// Seconds that what is known about a host (up or down, primary or standby) is relied upon. The default is 10; 0 asks every time.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Host Recheck Seconds")]
    public int HostRecheckSeconds { get => Get(Keywords.HostRecheckSeconds); set => Set(Keywords.HostRecheckSeconds, value); }

    /// <summary>
    /// Accepted from Npgsql's connection strings, where it has no effect either: certificates are checked as <see cref="SslMode"/> says.
    /// The default is false.
    /// </summary>
    [DisplayName("Trust Server Certificate"), Browsable(false), Obsolete("Has no effect: SslMode says how far the certificate is checked.")]
    public bool TrustServerCertificate { get => Get(Keywords.TrustServerCertificate); set => Set(Keywords.TrustServerCertificate, value); }
}
