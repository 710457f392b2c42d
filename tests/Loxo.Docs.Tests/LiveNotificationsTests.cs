namespace Loxo.Docs.Tests;

public class LiveNotificationsTests
{
    [Test]
    public async Task The_board_shows_what_was_sold_although_it_lost_its_connection()
    {
        var (exitCode, output, error) = await Terminal.Run("dotnet", Path.Combine(AppContext.BaseDirectory, "LiveNotifications.dll"));

        Assert.That(exitCode, Is.Zero, error);
        Assert.That(output, Does.Contain("coffee  10  (Started)").And.Contain("(ConnectionLost)"));
        Assert.That(output, Does.Match("tea +15 ").And.EndWith("Done: the board shows what the database has." + Environment.NewLine));
    }
}
