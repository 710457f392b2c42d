namespace Loxo.Docs.Tests;

public class WebShopTests
{
    [Test]
    public async Task Stock_and_orders_agree_after_a_load()
    {
        var (exitCode, output, error) = await Run("--load", "1");

        Assert.That(exitCode, Is.Zero, output + error);
        Assert.That(output, Does.Match(@"orders +[1-9]").And.Match(@"refused orders +[1-9][0-9,]*: [1-9][0-9,]* invalid"));
        Assert.That(output, Does.Match(@"slowest request (GET|POST) /.*: .* ms").And.Match(@"slowest command [A-Z]+.*: .* ms"));
        Assert.That(output, Does.Contain("{\"status\":\"Healthy\"").And.Contain("\"pool\":\"shop\"").And.Contain("\"busy\":0"));
        Assert.That(output, Does.EndWith("Done: stock and orders agree." + Environment.NewLine));
    }

    [Test]
    public async Task Slow_commands_are_warnings()
    {
        var (exitCode, output, error) = await Run("--load", "1", "--Shop:SlowCommand", "00:00:00.000001");

        Assert.That(exitCode, Is.Zero, error);
        Assert.That(output, Does.Match(@"warn: Loxo\.Command\[2501\]\s+Slow, .* ms: SELECT id, name, price, stock, tags FROM products"));
    }

    [TestCase("--Loxo:shop:MaximumPolSize", "3", "'Loxo:shop:MaximumPolSize'")]
    [TestCase("--Loxo:shop:MaximumPoolSize", "1", "'Maximum Pool Size'")]
    [TestCase("--Shop:SlowCommand", "soon", "'Shop:SlowCommand'")]
    public async Task A_wrong_setting_is_one_line_that_names_it(string key, string value, string name)
    {
        var (exitCode, _, error) = await Run(key, value);

        Assert.That(exitCode, Is.EqualTo(1));
        Assert.That(error.TrimEnd().Split('\n'), Has.Length.EqualTo(1));
        Assert.That(error, Does.Contain(name));
    }

    [TestCase("--load")]
    [TestCase("--load", "soon")]
    [TestCase("--load", "0")]
    public async Task A_load_without_a_time_is_one_line(params string[] arguments)
    {
        var (exitCode, _, error) = await Run(arguments);

        Assert.That(exitCode, Is.EqualTo(1));
        Assert.That(error, Is.EqualTo("--load needs a number of seconds from 1 up, such as --load 5." + Environment.NewLine));
    }

    private static Task<(int ExitCode, string Output, string Error)> Run(params string[] arguments) =>
        Terminal.Run("dotnet", [Path.Combine(AppContext.BaseDirectory, "WebShop.dll"), .. arguments]);
}
