using System.ComponentModel;
using System.Globalization;
using System.Reflection;
using Loxo.Settings;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>Every keyword by every name. The table is written out here again, so that a slip in the driver's table shows.</summary>
public class KeywordTests
{
    public sealed record Row(string Name, string Property, object? Default, string Text, object Value, params string[] Synonyms)
    {
        public override string ToString() => Name;
    }

    private static readonly Row[] _rows =
    [
        new("Host", "Host", null, "db.example:5433", "db.example:5433", "Server"),
        new("Host Address", "HostAddress", null, "10.0.0.1", "10.0.0.1"),
        new("Service", "Service", null, "shop", "shop"),
        new("Service File", "ServiceFile", null, "/etc/services", "/etc/services"),
        new("Port", "Port", 5432, "6000", 6000),
        new("Database", "Database", null, "shop", "shop", "DB"),
        new("Username", "Username", null, "ann", "ann", "User Name", "UserId", "User Id", "UID"),
        new("Password", "Password", null, "s3cret", "s3cret", "PSW", "PWD"),
        new("Passfile", "Passfile", null, "/home/ann/pass", "/home/ann/pass"),
        new("Application Name", "ApplicationName", null, "till", "till"),
        new("Fallback Application Name", "FallbackApplicationName", null, "tool", "tool"),
        new("Enlist", "Enlist", true, "False", false),
        new("Search Path", "SearchPath", null, "app, public", "app, public"),
        new("Client Encoding", "ClientEncoding", null, "UTF8", "UTF8"),
        new("Encoding", "Encoding", "UTF8", "utf-8", "utf-8"),
        new("Timezone", "Timezone", null, "Europe/Rome", "Europe/Rome"),
        new("SSL Mode", "SslMode", SslMode.Prefer, "VerifyFull", SslMode.VerifyFull),
        new("SSL Negotiation", "SslNegotiation", SslNegotiation.Postgres, "Direct", SslNegotiation.Direct),
        new("GSS Encryption Mode", "GssEncryptionMode", GssEncryptionMode.Disable, "Require", GssEncryptionMode.Require),
        new("SSL Certificate", "SslCertificate", null, "c.crt", "c.crt"),
        new("SSL Key", "SslKey", null, "c.key", "c.key"),
        new("SSL Password", "SslPassword", null, "k", "k"),
        new("Root Certificate", "RootCertificate", null, "root.crt", "root.crt"),
        new("Check Certificate Revocation", "CheckCertificateRevocation", false, "True", true),
        new("Kerberos Service Name", "KerberosServiceName", "postgres", "pg", "pg", "Krbsrvname"),
        new("Include Realm", "IncludeRealm", true, "False", false),
        new("Persist Security Info", "PersistSecurityInfo", false, "True", true),
        new("Log Parameters", "LogParameters", false, "True", true),
        new("Include Error Detail", "IncludeErrorDetail", false, "True", true),
        new("Include Failed Batched Command", "IncludeFailedBatchedCommand", false, "True", true),
        new("Channel Binding", "ChannelBinding", ChannelBinding.Prefer, "Require", ChannelBinding.Require),
        new("Require Auth", "RequireAuth", null, "Password,MD5", "Password,MD5"),
        new("Pooling", "Pooling", true, "False", false),
        new("Minimum Pool Size", "MinPoolSize", 0, "3", 3),
        new("Maximum Pool Size", "MaxPoolSize", 100, "7", 7),
        new("Connection Idle Lifetime", "ConnectionIdleLifetime", 300, "60", 60),
        new("Connection Pruning Interval", "ConnectionPruningInterval", 10, "5", 5),
        new("Session Reset", "SessionReset", SessionReset.Auto, "Always", SessionReset.Always),
        new("Connection Idle Ping Time", "ConnectionIdlePingTime", 0, "30", 30),
        new("Pooler", "Pooler", Pooler.None, "TransactionPrepared", Pooler.TransactionPrepared),
        new("Plan Cache Mode", "PlanCacheMode", PlanCacheMode.Auto, "Generic", PlanCacheMode.Generic),
        new("Async Engine", "AsyncEngine", AsyncEngine.Auto, "Reactor", AsyncEngine.Reactor),
        new("Reactor Continuations", "ReactorContinuations", ReactorContinuations.Inline, "ThreadPool", ReactorContinuations.ThreadPool),
        new("Reactor Loops", "ReactorLoops", 0, "2", 2),
        new("Receive Spin", "ReceiveSpin", 100, "50", 50),
        new("Connection Lifetime", "ConnectionLifetime", 3600, "0", 0, "Load Balance Timeout"),
        new("Timeout", "Timeout", 15, "1024", 1024),
        new("Command Timeout", "CommandTimeout", 30, "0", 0),
        new("Cancellation Timeout", "CancellationTimeout", 2000, "-1", -1),
        new("Target Session Attributes", "TargetSessionAttributes", null, "read-write", "read-write"),
        new("Load Balance Hosts", "LoadBalanceHosts", false, "True", true),
        new("Host Recheck Seconds", "HostRecheckSeconds", 10, "0", 0),
        new("Keepalive", "KeepAlive", 0, "30", 30),
        new("TCP Keepalive", "TcpKeepAlive", false, "True", true),
        new("TCP Keepalive Time", "TcpKeepAliveTime", 0, "60", 60),
        new("TCP Keepalive Interval", "TcpKeepAliveInterval", 0, "5", 5),
        new("TCP Keepalive Count", "TcpKeepAliveCount", 0, "3", 3),
        new("TCP User Timeout", "TcpUserTimeout", 0, "5000", 5000),
        new("Read Buffer Size", "ReadBufferSize", 8192, "4096", 4096),
        new("Write Buffer Size", "WriteBufferSize", 8192, "65536", 65536),
        new("Socket Receive Buffer Size", "SocketReceiveBufferSize", 0, "1024", 1024),
        new("Socket Send Buffer Size", "SocketSendBufferSize", 0, "1024", 1024),
        new("Max Auto Prepare", "MaxAutoPrepare", 256, "20", 20),
        new("Auto Prepare Min Usages", "AutoPrepareMinUsages", 2, "1", 1),
        new("Multiplexing", "Multiplexing", false, "True", true),
        new("No Reset On Close", "NoResetOnClose", false, "True", true),
        new("Options", "Options", null, "-c geqo=off", "-c geqo=off"),
        new("Array Nullability Mode", "ArrayNullabilityMode", ArrayNullabilityMode.Never, "PerInstance", ArrayNullabilityMode.PerInstance),
        new("Load Table Composites", "LoadTableComposites", false, "True", true),
        new("Server Compatibility Mode", "ServerCompatibilityMode", ServerCompatibilityMode.None, "NoTypeLoading", ServerCompatibilityMode.NoTypeLoading),
        new("Trust Server Certificate", "TrustServerCertificate", false, "True", true),
        new("Internal Command Timeout", "InternalCommandTimeout", -1, "5", 5),
        new("Compatibility", "Compatibility", CompatibilityMode.None, "Npgsql", CompatibilityMode.Npgsql),
        new("Write Coalescing Buffer Threshold Bytes", "WriteCoalescingBufferThresholdBytes", 1000, "0", 0),
    ];

    private static IEnumerable<TestCaseData> Names() =>
        from row in _rows
        from name in row.Synonyms.Append(row.Name).Append(row.Property).Distinct()
        from spelled in new[] { name, name.ToUpperInvariant(), name.ToLowerInvariant() }
        select new TestCaseData(row, spelled);

    [TestCaseSource(nameof(Names))]
    public void A_keyword_is_found_by_every_name_in_any_case(Row row, string name)
    {
        var builder = new PgConnectionStringBuilder { ConnectionString = $"{name}=\"{row.Text}\"" };

        Assert.That(PropertyOf(row).GetValue(builder), Is.EqualTo(row.Value));
        Assert.That(builder[name], Is.EqualTo(row.Value));
        Assert.That(builder.Keys, Is.EqualTo(new[] { row.Name }));
    }

    [TestCaseSource(nameof(_rows))]
    public void A_property_writes_what_its_keyword_reads(Row row)
    {
        var written = new PgConnectionStringBuilder();
        PropertyOf(row).SetValue(written, row.Value);
        var read = new PgConnectionStringBuilder(written.ConnectionString);

        Assert.That(written.ConnectionString, Does.StartWith(row.Name + "=").And.Contain(row.Text));
        Assert.That(PropertyOf(row).GetValue(read), Is.EqualTo(row.Value));
        Assert.That(read, Is.EqualTo(written));
    }

    [TestCaseSource(nameof(_rows))]
    public void A_keyword_that_is_not_set_has_its_default(Row row)
    {
        var builder = new PgConnectionStringBuilder();

        Assert.That(PropertyOf(row).GetValue(builder), Is.EqualTo(row.Default));
        Assert.That(builder[row.Name], Is.EqualTo(row.Default ?? ""));
        Assert.That(builder.TryGetValue(row.Property, out var value), Is.True);
        Assert.That(value, Is.EqualTo(row.Default));
        Assert.That(builder.Count, Is.Zero);
    }

    [TestCaseSource(nameof(_rows))]
    public void The_indexer_takes_texts_and_typed_values_and_null(Row row)
    {
        var builder = new PgConnectionStringBuilder { [row.Name] = row.Text };
        Assert.That(builder[row.Name], Is.EqualTo(row.Value));

        builder[row.Name] = row.Value;
        Assert.That(builder[row.Name], Is.EqualTo(row.Value));
        Assert.That(builder.ShouldSerialize(row.Property), Is.True);

        builder[row.Name] = null;
        Assert.That(builder[row.Name], Is.EqualTo(row.Default ?? ""));
        Assert.That(builder.ShouldSerialize(row.Property), Is.False);
    }

    [TestCaseSource(nameof(_rows))]
    public void A_property_shows_the_keyword_as_its_display_name(Row row) =>
        Assert.That(PropertyOf(row).GetCustomAttribute<DisplayNameAttribute>()?.DisplayName, Is.EqualTo(row.Name));

    [Test]
    public void No_keyword_is_missing_from_these_tests()
    {
        var properties = typeof(PgConnectionStringBuilder).GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
            .Select(property => property.Name)
            .Except(["Item", "ConnectionString", "Keys", "Values"]);

        Assert.That(Keywords.All.Except(LibpqParameters.All).Select(keyword => keyword.Name), Is.EquivalentTo(_rows.Select(row => row.Name)));
        Assert.That(properties, Is.EquivalentTo(_rows.Select(row => row.Property)));
        Assert.That(_rows, Has.Length.EqualTo(74));
    }

    [Test]
    public void Obsolete_keywords_are_hidden_from_property_grids()
    {
        var hidden = TypeDescriptor.GetProperties(typeof(PgConnectionStringBuilder)).Cast<PropertyDescriptor>()
            .Where(property => !property.IsBrowsable && property.Attributes[typeof(ObsoleteAttribute)] is not null)
            .Select(property => property.Name);

        Assert.That(hidden, Is.EquivalentTo(new[] { "TrustServerCertificate", "LoadTableComposites", "ServerCompatibilityMode", "InternalCommandTimeout", "WriteCoalescingBufferThresholdBytes" }));
    }

    [Test]
    public void A_property_grid_shows_a_set_keyword_once()
    {
        var builder = new PgConnectionStringBuilder("Application Name=till;Minimum Pool Size=1");
        var names = ((ICustomTypeDescriptor)builder).GetProperties().Cast<PropertyDescriptor>().Select(property => property.DisplayName).ToList();

        Assert.That(names, Is.Unique);
        Assert.That(names, Does.Contain("Application Name").And.Contain("Minimum Pool Size"));
    }

    [TestCase("verify-full", SslMode.VerifyFull)]
    [TestCase("verify-ca", SslMode.VerifyCA)]
    [TestCase("VERIFYCA", SslMode.VerifyCA)]
    [TestCase(" require ", SslMode.Require)]
    public void SSL_Mode_takes_libpqs_spelling_and_ours(string text, SslMode mode) =>
        Assert.That(new PgConnectionStringBuilder($"SSL Mode={text}").SslMode, Is.EqualTo(mode));

    [TestCase("read-write", "read-write")]
    [TestCase("ReadWrite", "read-write")]
    [TestCase("prefer-standby", "prefer-standby")]
    [TestCase("PreferPrimary", "prefer-primary")]
    [TestCase("any", "any")]
    public void Target_Session_Attributes_takes_hyphens_and_none(string text, string stored) =>
        Assert.That(new PgConnectionStringBuilder($"Target Session Attributes={text}").TargetSessionAttributes, Is.EqualTo(stored));

    [TestCase("true", true), TestCase("Yes", true), TestCase("on", true), TestCase("1", true)]
    [TestCase("FALSE", false), TestCase("no", false), TestCase("off", false), TestCase("0", false)]
    public void A_flag_takes_the_usual_words(string text, bool value) =>
        Assert.That(new PgConnectionStringBuilder($"Pooling={text}").Pooling, Is.EqualTo(value));

    [Test]
    public void Numbers_are_read_and_written_alike_in_every_culture()
    {
        var culture = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NegativeSign = "~" } };
        try
        {
            Assert.That(new PgConnectionStringBuilder { CancellationTimeout = -1 }.ConnectionString, Is.EqualTo("Cancellation Timeout=-1"));
        }
        finally
        {
            CultureInfo.CurrentCulture = culture;
        }
    }

    private static PropertyInfo PropertyOf(Row row) => typeof(PgConnectionStringBuilder).GetProperty(row.Property)!;
}
