namespace Loxo.Tests.Architecture;

public sealed class SizeTests
{
    [Test]
    public void Lines_fit_on_a_screen() => Breach.AssertNone(SizeRules.Lines(Sources.Own));

    [Test]
    public void Files_are_small_enough_to_be_read_at_once() => Breach.AssertNone(SizeRules.Files(Sources.Own));

    [Test]
    public void A_type_is_in_at_most_two_files() => Breach.AssertNone(SizeRules.FilesOfTypes(Sources.Own));

    [Test]
    public void A_type_has_at_most_500_lines_of_code() => Breach.AssertNone(SizeRules.Types(Sources.Own));
}
