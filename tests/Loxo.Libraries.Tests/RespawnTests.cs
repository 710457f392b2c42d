using Respawn;

namespace Loxo.LibraryTests;

public sealed class RespawnTests : LibraryTest
{
    [Test]
    public async Task Tables_are_emptied_with_the_adapter_named()
    {
        await Execute("CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child (parent int REFERENCES parent); CREATE TABLE kept (id int)");
        await Execute("INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1); INSERT INTO kept VALUES (1)");
        await using var connection = await Open();

        var respawner = await Respawner.CreateAsync(connection,
            new RespawnerOptions { DbAdapter = DbAdapter.Postgres, SchemasToInclude = [Schema], TablesToIgnore = ["kept"] });
        await respawner.ResetAsync(connection);

        Assert.That(await Scalar("SELECT ARRAY[(SELECT count(*) FROM parent), (SELECT count(*) FROM child), (SELECT count(*) FROM kept)]"),
            Is.EqualTo(new long[] { 0, 0, 1 }));
    }

    [Test]
    public async Task Without_the_adapter_it_does_not_know_the_connection()
    {
        await Execute("CREATE TABLE parent (id int PRIMARY KEY)");
        await using var connection = await Open();

        Assert.That(() => Respawner.CreateAsync(connection), Throws.ArgumentException);
    }
}
