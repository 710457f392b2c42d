using System.Diagnostics;

namespace Loxo.Embedded.Tests;

/// <summary>What becomes of a server whose process ends without disposing it.</summary>
[Platform(Exclude = "Win")]
public class LeftoverTests
{
    private EmptyCache _cache = null!;

    [SetUp]
    public void MakeCache() => _cache = new EmptyCache();

    [TearDown]
    public void RemoveCache() => _cache.Dispose();

    [Test]
    public void The_next_start_removes_the_server_of_a_killed_process()
    {
        using var child = Children.Start(_cache.Path);
        child.Process.Kill();
        child.Process.WaitForExit();
        Assert.That(Children.IsRunning(child.ServerProcess), Is.True, "the server outlives a killed process");

        using var next = StartHere();

        Assert.That(Children.IsRunning(child.ServerProcess), Is.False);
        Assert.That(child.DataDirectory, Does.Not.Exist);
        Assert.That(_cache.Workspaces, Is.EquivalentTo(new[] { next.SocketDirectory, next.SocketDirectory + ".lock" }));
    }

    [Test]
    public void The_next_start_leaves_the_server_of_a_living_process_alone()
    {
        using var child = Children.Start(_cache.Path);

        using (StartHere())
            Assert.That(Children.IsRunning(child.ServerProcess), Is.True);

        child.EndByItself();
    }

    [Test]
    public void Servers_may_have_a_folder_of_their_own_which_the_next_start_sweeps_as_well()
    {
        using var run = new EmptyCache(Directory.Exists("/dev/shm") ? "/dev/shm" : Path.GetTempPath()); // another file system, if there is one
        using var child = Children.Start(_cache.Path, run.Path);
        Assert.That(child.DataDirectory, Does.StartWith(run.Path));
        child.Process.Kill();
        child.Process.WaitForExit();

        using (var next = StartHere(run.Path))
        {
            Assert.That(Children.IsRunning(child.ServerProcess), Is.False);
            Assert.That(Directory.GetFileSystemEntries(run.Path),
                Is.EquivalentTo(new[] { next.SocketDirectory, next.SocketDirectory + ".lock" }));
            Assert.That(_cache.Workspaces, Is.Empty);
            Assert.That(_cache.Templates, Has.Length.EqualTo(1));
        }

        Assert.That(Directory.GetFileSystemEntries(run.Path), Is.Empty);
    }

    [Test]
    public void The_end_of_the_process_removes_its_server()
    {
        using var child = Children.Start(_cache.Path);

        child.EndByItself();

        Assert.That(Children.IsRunning(child.ServerProcess), Is.False);
        Assert.That(_cache.Workspaces, Is.Empty);
    }

    [Test]
    public void A_signal_that_ends_the_process_removes_its_server([Values("TERM", "INT", "HUP")] string signal)
    {
        // The tests themselves may run under nohup or in the background.
        using var child = Children.StartIgnoring(signal, _cache.Path);

        Process.Start("kill", $"-{signal} {child.Process.Id}").WaitForExit();
        child.Process.WaitForExit();

        Assert.That(Children.IsRunning(child.ServerProcess), Is.False);
        Assert.That(_cache.Workspaces, Is.Empty);
    }

    [Test]
    public void A_folder_that_a_process_died_before_filling_is_removed()
    {
        using (StartHere())
        {
            // makes the folders of the cache
        }
        var abandoned = Path.Combine(_cache.Path, "run", "0badcafe");
        Directory.CreateDirectory(abandoned);
        File.WriteAllText(abandoned + ".lock", "4194304\n");

        using (StartHere())
            Assert.That(abandoned, Does.Not.Exist);

        Assert.That(_cache.Workspaces, Is.Empty);
    }

    [Test]
    public void A_template_that_was_not_used_for_a_month_is_removed()
    {
        using (StartHere())
        {
            // makes a template
        }
        var old = Path.Combine(_cache.Path, "templates", "14-0123456789abcdef");
        Directory.CreateDirectory(old);
        Directory.SetLastWriteTimeUtc(old, DateTime.UtcNow.AddDays(-31));

        using (StartHere())
            Assert.That(old, Does.Not.Exist);

        Assert.That(_cache.Templates, Has.Length.EqualTo(1), "the one in use stays");
    }

    private PgEmbeddedServer StartHere(string? run = null) => PgEmbeddedServer.Start(
        new PgEmbeddedServerOptions { CacheDirectory = _cache.Path, RunDirectory = run, BinaryDirectory = Servers.Binaries });
}
