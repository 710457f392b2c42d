using System.Reflection;
using System.Text;
using Loxo.Sql;

namespace Loxo.Tests.Sql;

public class BuiltInNamesTests
{
    private delegate bool Lookup(ReadOnlySpan<char> name);

    private delegate ReadOnlySpan<byte> Names();

    [TestCase("PlainFunctions", nameof(BuiltInNames.IsPlainFunction))]
    [TestCase("OtherFunctions", nameof(BuiltInNames.IsOtherFunction))]
    [TestCase("Keywords", nameof(BuiltInNames.IsKeyword))]
    [TestCase("KeywordsThatNameNoFunction", nameof(BuiltInNames.NamesNoFunction))]
    public void Every_name_is_found_in_any_case_and_nothing_between(string property, string lookup)
    {
        var names = List(property);
        var finds = (Lookup)Delegate.CreateDelegate(typeof(Lookup), typeof(BuiltInNames), lookup);
        var known = names.ToHashSet();

        Assert.That(names, Is.Ordered.Using((IComparer<string>)StringComparer.Ordinal));
        Assert.That(names.Where(name => !finds(name) || !finds(name.ToUpperInvariant())), Is.Empty);
        Assert.That(names.SelectMany(name => new[] { name + "0", name + " ", name[..^1], name[1..], "_" + name }).Where(name => finds(name) && !known.Contains(name)), Is.Empty);
    }

    [TestCase("")]
    [TestCase(" ")]
    [TestCase("\n")]
    [TestCase("abs acos")]
    [TestCase("\u212Aeys", TestName = "The_Kelvin_sign_is_no_k")]
    [TestCase("\u0130n", TestName = "A_dotted_capital_I_is_no_i")]
    public void Other_texts_are_no_names(string name)
    {
        Assert.That(BuiltInNames.IsPlainFunction(name), Is.False);
        Assert.That(BuiltInNames.IsOtherFunction(name), Is.False);
        Assert.That(BuiltInNames.IsKeyword(name), Is.False);
        Assert.That(BuiltInNames.NamesNoFunction(name), Is.False);
    }

    [Test]
    public void No_function_is_both() => Assert.That(List("PlainFunctions").Intersect(List("OtherFunctions")), Is.Empty);

    [Test]
    public void No_other_function_has_the_name_of_a_keyword_that_is_no_function() =>
        Assert.That(List("OtherFunctions").Intersect(List("KeywordsThatNameNoFunction")), Is.Empty);

    internal static string[] List(string property)
    {
        var getter = typeof(BuiltInNames).GetProperty(property, BindingFlags.NonPublic | BindingFlags.Static)!.GetMethod!;
        var names = (Names)Delegate.CreateDelegate(typeof(Names), getter);
        return Encoding.ASCII.GetString(names()).Split([' ', '\n', '\r'], StringSplitOptions.RemoveEmptyEntries);
    }
}
